"""The tables of SiteServer 6.15 that a migration reads or counts."""

from tests.migration.installations.tables import columns_of

_ACCOUNT = "UserName s255, Password s255, PasswordFormat s50, PasswordSalt s128"
_STYLE = "RelatedIdentity i, TableName s50, AttributeName s50, Taxis i, DisplayName s255, HelpText s255"

COLUMNS = {
    f"siteserver_{name}": columns_of(f"Id i, {columns}")
    for name, columns in {
        "Config": "IsInitialized f, DatabaseVersion s50, UpdateDate d, SystemConfig t",
        "Site": "SiteName s50, SiteDir s50, TableName s50, IsRoot f, ParentId i, Taxis i, SettingsXml t",
        "Channel": "ChannelName s255, SiteId i, ContentModelPluginId s50, ContentRelatedPluginIds s255, ParentId i,"
        " ParentsPath s255, ParentsCount i, ChildrenCount i, IsLastNode f, IndexName s255, GroupNameCollection s255,"
        " Taxis i, AddDate d, ImageUrl s200, Content t, FilePath s200, ChannelFilePathRule s200,"
        " ContentFilePathRule s200, LinkUrl s200, LinkType s200, ChannelTemplateId i, ContentTemplateId i,"
        " Keywords s255, Description s255, ExtendValues t",
        "ChannelGroup": "GroupName s255, SiteId i, Taxis i, Description t",
        "ContentGroup": "GroupName s255, SiteId i, Taxis i, Description t",
        "Tag": "SiteId i, ContentIdCollection s2000, Tag s255, UseNum i",
        "ContentCheck": "TableName s50, SiteId i, ChannelId i, ContentId i, UserName s255, IsChecked f, CheckedLevel i,"
        " CheckDate d, Reasons s255",
        "TableStyle": f"{_STYLE}, IsVisibleInList f, InputType s50, DefaultValue s255, IsHorizontal f, ExtendValues t",
        "TableStyleItem": "TableStyleId i, ItemTitle s255, ItemValue s255, IsSelected f",
        "Template": "SiteId i, TemplateName s50, TemplateType s50, RelatedFileName s50, CreatedFileFullName s50,"
        " CreatedFileExtName s50, Charset s50, IsDefault f",
        "Role": "RoleName s255, CreatorUserName s255, Description s255",
        "AdministratorsInRoles": "RoleName s255, UserName s255",
        "PermissionsInRoles": "RoleName s255, GeneralPermissions t",
        "SitePermissions": "RoleName s255, SiteId i, ChannelIdCollection t, ChannelPermissions t, WebsitePermissions t",
        "Administrator": f"{_ACCOUNT}, CreationDate d, LastActivityDate d, LastChangePasswordDate d, CountOfLogin i,"
        " CountOfFailedLogin i, CreatorUserName s255, IsLockedOut f, SiteIdCollection t, SiteId i, DisplayName s50,"
        " Mobile s20, Email s50, AvatarUrl s200",
        "User": f"{_ACCOUNT}, CreateDate d, LastResetPasswordDate d, LastActivityDate d, CountOfLogin i,"
        " CountOfFailedLogin i, GroupId i, IsChecked f, IsLockedOut f, DisplayName s255, Email s255, Mobile s20,"
        " AvatarUrl s200, Gender s50, Birthday s50, WeiXin s255, Qq s50, WeiBo s255, Bio t, SettingsXml t",
        "UserGroup": "GroupName s200, AdminName s200",
        "UserLog": "UserName s255, IpAddress s50, AddDate d, Action s255, Summary s255",
        "UserMenu": "SystemId s50, GroupIdCollection s200, IsDisabled b, ParentId i, Taxis i, Text s50, IconClass s50,"
        " Href s200, Target s50",
        "AccessToken": "Title s200, Token s200, AdminName s200, Scopes s200, RateLimit i, AddDate d, UpdatedDate d",
    }.items()
}

CONTENT = columns_of(
    "Id i, ChannelId i, SiteId i, AddUserName s255, LastEditUserName s255, LastEditDate d, AdminId i, UserId i,"
    " Taxis i, GroupNameCollection s255, Tags s255, SourceId i, ReferenceId i, IsChecked f, CheckedLevel i, Hits i,"
    " HitsByDay i, HitsByWeek i, HitsByMonth i, LastHitsDate d, Downloads i, SettingsXml t, Title s255, IsTop f,"
    " IsRecommend f, IsHot f, IsColor f, LinkUrl s200, AddDate d, SubTitle s255, ImageUrl s200, VideoUrl s200,"
    " FileUrl s200, Content t, Summary t, Author s255, Source s255"
)
