-- Writes media_library_mediause row by row. The statements are expressions of media_library/use_sources.py.

CREATE TRIGGER media_library_body_added AFTER INSERT ON contents_contentbody WHEN /*NEW.body_has*/
BEGIN
    /*NEW.store_body*/;
END
-- end
CREATE TRIGGER media_library_body_changed AFTER UPDATE OF /*NEW.body_columns*/ ON contents_contentbody WHEN /*NEW.body_changed*/
BEGIN
    /*NEW.renew_body*/;
END
-- end
CREATE TRIGGER media_library_body_removed AFTER DELETE ON contents_contentbody WHEN /*OLD.body_has*/
BEGIN
    /*OLD.renew_body*/;
END
-- end

CREATE TRIGGER media_library_fields_added AFTER INSERT ON contents_content WHEN /*NEW.fields_has*/
BEGIN
    /*NEW.store_fields*/;
END
-- end
CREATE TRIGGER media_library_fields_changed AFTER UPDATE OF /*NEW.fields_columns*/ ON contents_content WHEN /*NEW.fields_changed*/
BEGIN
    /*NEW.renew_fields*/;
END
-- end
CREATE TRIGGER media_library_fields_removed AFTER DELETE ON contents_content WHEN /*OLD.fields_has*/
BEGIN
    /*OLD.renew_fields*/;
END
-- end

CREATE TRIGGER media_library_pictures_added AFTER INSERT ON contents_contentpicture WHEN /*NEW.pictures_has*/
BEGIN
    /*NEW.store_pictures*/;
END
-- end
CREATE TRIGGER media_library_pictures_changed AFTER UPDATE OF /*NEW.pictures_columns*/ ON contents_contentpicture WHEN /*NEW.pictures_changed*/
BEGIN
    /*NEW.renew_pictures*/;
END
-- end
CREATE TRIGGER media_library_pictures_removed AFTER DELETE ON contents_contentpicture WHEN /*OLD.pictures_has*/
BEGIN
    /*OLD.renew_pictures*/;
END
-- end

CREATE TRIGGER media_library_draft_added AFTER INSERT ON contents_contentdraft WHEN /*NEW.draft_has*/
BEGIN
    /*NEW.store_draft*/;
END
-- end
CREATE TRIGGER media_library_draft_changed AFTER UPDATE OF /*NEW.draft_columns*/ ON contents_contentdraft WHEN /*NEW.draft_changed*/
BEGIN
    /*NEW.renew_draft*/;
END
-- end
CREATE TRIGGER media_library_draft_removed AFTER DELETE ON contents_contentdraft WHEN /*OLD.draft_has*/
BEGIN
    /*OLD.renew_draft*/;
END
-- end

CREATE TRIGGER media_library_channel_added AFTER INSERT ON channels_app_channel WHEN /*NEW.channel_has*/
BEGIN
    /*NEW.store_channel*/;
END
-- end
CREATE TRIGGER media_library_channel_changed AFTER UPDATE OF /*NEW.channel_columns*/ ON channels_app_channel WHEN /*NEW.channel_changed*/
BEGIN
    /*NEW.renew_channel*/;
END
-- end
CREATE TRIGGER media_library_channel_removed AFTER DELETE ON channels_app_channel WHEN /*OLD.channel_has*/
BEGIN
    /*OLD.renew_channel*/;
END
-- end

CREATE TRIGGER media_library_template_added AFTER INSERT ON pages_template WHEN /*NEW.template_has*/
BEGIN
    /*NEW.store_template*/;
END
-- end
CREATE TRIGGER media_library_template_changed AFTER UPDATE OF /*NEW.template_columns*/ ON pages_template WHEN /*NEW.template_changed*/
BEGIN
    /*NEW.renew_template*/;
END
-- end
CREATE TRIGGER media_library_template_removed AFTER DELETE ON pages_template WHEN /*OLD.template_has*/
BEGIN
    /*OLD.renew_template*/;
END
-- end

CREATE TRIGGER media_library_site_added AFTER INSERT ON cms_sites_site WHEN /*NEW.site_has*/
BEGIN
    /*NEW.store_site*/;
END
-- end
CREATE TRIGGER media_library_site_changed AFTER UPDATE OF /*NEW.site_columns*/ ON cms_sites_site WHEN /*NEW.site_changed*/
BEGIN
    /*NEW.renew_site*/;
END
-- end
CREATE TRIGGER media_library_site_removed AFTER DELETE ON cms_sites_site WHEN /*OLD.site_has*/
BEGIN
    /*OLD.renew_site*/;
END
-- end

-- Rows of body and pictures have no site of their own.
CREATE TRIGGER media_library_content_moved AFTER UPDATE OF site_id ON contents_content WHEN OLD.site_id <> NEW.site_id
BEGIN
    UPDATE media_library_mediause SET site_id = NEW.site_id
    WHERE source IN ('content.body', 'content.pictures') AND source_id = NEW.id;
END
-- end
