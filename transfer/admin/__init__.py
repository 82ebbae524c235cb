from transfer.admin.channels import CopyableChannelAdmin
from transfer.admin.entries import ImportableEntryAdmin
from transfer.admin.forms import ImportableFormAdmin
from transfer.admin.sites import SiteWizardAdmin

__all__ = ["CopyableChannelAdmin", "ImportableEntryAdmin", "ImportableFormAdmin", "SiteWizardAdmin"]
