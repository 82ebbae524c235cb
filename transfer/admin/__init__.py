from transfer.admin.sites import SiteWizardAdmin

__all__ = ["SiteWizardAdmin"]
