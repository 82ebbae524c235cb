from transfer.admin.channels import CopyableChannelAdmin
from transfer.admin.sites import SiteWizardAdmin

__all__ = ["CopyableChannelAdmin", "SiteWizardAdmin"]
