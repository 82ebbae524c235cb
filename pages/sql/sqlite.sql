-- Renews the number of the site's tree with every change of its templates and of the kinds of its fields, so that
-- processes which keep them by that number (pages.site_facts) notice.

CREATE TRIGGER pages_template_added AFTER INSERT ON pages_template
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (NEW.site_id);
END
-- end

CREATE TRIGGER pages_template_changed AFTER UPDATE ON pages_template
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id, NEW.site_id);
END
-- end

CREATE TRIGGER pages_template_removed AFTER DELETE ON pages_template
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id);
END
-- end

CREATE TRIGGER pages_field_added AFTER INSERT ON cms_sites_fielddefinition
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (NEW.site_id);
END
-- end

CREATE TRIGGER pages_field_changed AFTER UPDATE ON cms_sites_fielddefinition
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id, NEW.site_id);
END
-- end

CREATE TRIGGER pages_field_removed AFTER DELETE ON cms_sites_fielddefinition
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id IN (OLD.site_id);
END
-- end

-- Pages mark the addresses of replaced files.

CREATE TRIGGER pages_file_replaced AFTER UPDATE OF replaced_at ON media_library_mediafile
WHEN OLD.replaced_at IS NOT NEW.replaced_at
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id = NEW.site_id;
END
-- end

-- Renews the number of the site's approved contents, as in postgresql.sql; one row for each site, whose id it has.
-- The statements are expressions of pages/apps.py.

CREATE TRIGGER pages_content_added AFTER INSERT ON contents_content WHEN NEW.is_checked AND NEW.trashed_at IS NULL
BEGIN
    /*NEW.renew*/;
END
-- end

CREATE TRIGGER pages_content_changed AFTER UPDATE ON contents_content
WHEN (OLD.is_checked AND OLD.trashed_at IS NULL OR NEW.is_checked AND NEW.trashed_at IS NULL)
    AND (/*OLD.shown*/) IS NOT (/*NEW.shown*/)
BEGIN
    /*OLD.renew*/;
    /*NEW.renew*/;
END
-- end

CREATE TRIGGER pages_content_removed AFTER DELETE ON contents_content WHEN OLD.is_checked AND OLD.trashed_at IS NULL
BEGIN
    /*OLD.renew*/;
END
-- end

CREATE TRIGGER pages_body_added AFTER INSERT ON contents_contentbody
BEGIN
    /*NEW.renew_of_content*/;
END
-- end

CREATE TRIGGER pages_body_changed AFTER UPDATE ON contents_contentbody
BEGIN
    /*NEW.renew_of_content*/;
END
-- end

CREATE TRIGGER pages_body_removed AFTER DELETE ON contents_contentbody
BEGIN
    /*OLD.renew_of_content*/;
END
-- end

CREATE TRIGGER pages_picture_added AFTER INSERT ON contents_contentpicture
BEGIN
    /*NEW.renew_of_content*/;
END
-- end

CREATE TRIGGER pages_picture_changed AFTER UPDATE ON contents_contentpicture
BEGIN
    /*NEW.renew_of_content*/;
END
-- end

CREATE TRIGGER pages_picture_removed AFTER DELETE ON contents_contentpicture
BEGIN
    /*OLD.renew_of_content*/;
END
-- end

CREATE TRIGGER pages_group_changed AFTER UPDATE ON contents_contentgroup
BEGIN
    /*NEW.renew*/;
END
-- end

CREATE TRIGGER pages_group_removed AFTER DELETE ON contents_contentgroup
BEGIN
    /*OLD.renew*/;
END
-- end

CREATE TRIGGER pages_tag_changed AFTER UPDATE ON contents_contenttag
BEGIN
    /*NEW.renew*/;
END
-- end

CREATE TRIGGER pages_tag_removed AFTER DELETE ON contents_contenttag
BEGIN
    /*OLD.renew*/;
END
-- end

CREATE TRIGGER pages_custom_field_added AFTER INSERT ON contents_customfield
BEGIN
    /*NEW.renew*/;
END
-- end

CREATE TRIGGER pages_custom_field_changed AFTER UPDATE ON contents_customfield
BEGIN
    /*NEW.renew*/;
END
-- end

CREATE TRIGGER pages_custom_field_removed AFTER DELETE ON contents_customfield
BEGIN
    /*OLD.renew*/;
END
-- end

CREATE TRIGGER pages_site_added AFTER INSERT ON cms_sites_site
BEGIN
    /*NEW.renew_of_site*/;
END
-- end

CREATE TRIGGER pages_site_removed AFTER DELETE ON cms_sites_site
BEGIN
    DELETE FROM pages_contentsversion WHERE site_id = OLD.id;
END
-- end

-- Also sites that had no number yet: their pages are not kept without one.

/*begin*/
-- end

-- Deletes the former addresses of deleted channels and contents.

CREATE TRIGGER pages_content_gone AFTER DELETE ON contents_content
BEGIN
    DELETE FROM pages_formeraddress WHERE content_id = OLD.id;
END
-- end

CREATE TRIGGER pages_channel_gone AFTER DELETE ON channels_app_channel
BEGIN
    DELETE FROM pages_formeraddress WHERE channel_id = OLD.id;
END
-- end
