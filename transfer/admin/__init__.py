from transfer.admin.channels import CopyableChannelAdmin
from transfer.admin.forms import ImportableFormAdmin
from transfer.admin.sites import SiteWizardAdmin

__all__ = ["CopyableChannelAdmin", "ImportableFormAdmin", "SiteWizardAdmin"]
