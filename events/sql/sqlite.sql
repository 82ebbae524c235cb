-- Write events_event, row by row; the rules are those of postgresql.sql. Times are those of the process, like all others.

CREATE TRIGGER events_content_added AFTER INSERT ON contents_content
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, subject_id, version, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'content.created', NEW.site_id, NEW.channel_id, NEW.id, NEW.version, '[]'
    WHERE NEW.trashed_at IS NULL;
END
-- end

CREATE TRIGGER events_content_changed AFTER UPDATE ON contents_content
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, subject_id, version, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), name, NEW.site_id, NEW.channel_id, NEW.id, NEW.version, '[' || substr(told, 2) || ']'
    FROM (
        SELECT told, CASE
            WHEN OLD.trashed_at IS NULL AND NEW.trashed_at IS NOT NULL THEN 'content.trashed'
            WHEN OLD.trashed_at IS NOT NULL AND NEW.trashed_at IS NULL THEN 'content.restored'
            WHEN NEW.trashed_at IS NOT NULL THEN NULL
            WHEN NEW.is_checked AND NOT OLD.is_checked THEN 'content.published'
            WHEN OLD.is_checked AND NOT NEW.is_checked THEN 'content.unpublished'
            WHEN OLD.channel_id <> NEW.channel_id OR OLD.site_id <> NEW.site_id THEN 'content.moved'
            WHEN told <> '' THEN 'content.changed'
        END AS name
        FROM (SELECT /*NEW.content_fields*/ AS told)
    )
    WHERE name IS NOT NULL;
    DELETE FROM events_event WHERE NEW.version > OLD.version AND /*NEW.event_of_body*/;
END
-- end

CREATE TRIGGER events_content_removed AFTER DELETE ON contents_content
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, subject_id, version, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'content.deleted', OLD.site_id, OLD.channel_id, OLD.id, OLD.version, '[]';
END
-- end

-- The body of a content whose creation no reader has seen is part of the creation. Without `likely`, SQLite takes the
-- unique index of the position, and reads all events that have none.
CREATE TRIGGER events_body_added AFTER INSERT ON contents_contentbody
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, subject_id, version, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'content.changed', site_id, channel_id, id, version, '["content"]'
    FROM contents_content c WHERE id = NEW.content_id AND trashed_at IS NULL AND NOT EXISTS (
        SELECT 1 FROM events_event WHERE likely(position IS NULL) AND subject_id = NEW.content_id AND name = 'content.created');
END
-- end

CREATE TRIGGER events_body_changed AFTER UPDATE ON contents_contentbody WHEN OLD.text <> NEW.text
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, subject_id, version, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'content.changed', site_id, channel_id, id, version, '["content"]'
    FROM contents_content c WHERE id = NEW.content_id AND trashed_at IS NULL;
END
-- end

CREATE TRIGGER events_channel_added AFTER INSERT ON channels_app_channel
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'channel.created', NEW.site_id, NEW.id, '[]'
    WHERE NEW.site_id <> 0 AND NEW.trashed_at IS NULL;
END
-- end

CREATE TRIGGER events_channel_changed AFTER UPDATE ON channels_app_channel
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), name, NEW.site_id, NEW.id, '[' || substr(told, 2) || ']'
    FROM (
        SELECT told, CASE
            WHEN OLD.site_id = 0 AND NEW.site_id <> 0 THEN 'channel.created'
            WHEN OLD.trashed_at IS NULL AND NEW.trashed_at IS NOT NULL THEN 'channel.trashed'
            WHEN OLD.trashed_at IS NOT NULL AND NEW.trashed_at IS NULL THEN 'channel.restored'
            WHEN NEW.trashed_at IS NOT NULL THEN NULL
            WHEN OLD.parent_id IS NOT NEW.parent_id OR /*NEW.is_reordered*/ THEN 'channel.moved'
            WHEN told <> '' THEN 'channel.changed'
        END AS name
        FROM (SELECT /*NEW.channel_fields*/ AS told)
    )
    WHERE name IS NOT NULL;
END
-- end

CREATE TRIGGER events_channel_removed AFTER DELETE ON channels_app_channel
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'channel.deleted', OLD.site_id, OLD.id, '[]';
END
-- end

CREATE TRIGGER events_site_added AFTER INSERT ON cms_sites_site
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'site.created', NEW.id, NEW.id, '[]';
END
-- end

CREATE TRIGGER events_site_changed AFTER UPDATE ON cms_sites_site
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), name, NEW.id, NEW.id, '[' || substr(told, 2) || ']'
    FROM (
        SELECT told, CASE
            WHEN OLD.trashed_at IS NULL AND NEW.trashed_at IS NOT NULL THEN 'site.trashed'
            WHEN OLD.trashed_at IS NOT NULL AND NEW.trashed_at IS NULL THEN 'site.restored'
            WHEN NEW.trashed_at IS NOT NULL THEN NULL
            WHEN told <> '' OR OLD.web_url <> NEW.web_url THEN 'site.changed'
        END AS name
        FROM (SELECT /*NEW.site_fields*/ AS told)
    )
    WHERE name IS NOT NULL;
END
-- end

-- The files of a site go to the trash and come back with it, while their rows stay as they are.
CREATE TRIGGER events_media_of_site AFTER UPDATE OF trashed_at ON cms_sites_site WHEN (OLD.trashed_at IS NULL) <> (NEW.trashed_at IS NULL)
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), iif(NEW.trashed_at IS NULL, 'media.created', 'media.deleted'), site_id, id, '[]'
    FROM media_library_mediafile WHERE site_id = NEW.id AND trashed_at IS NULL AND missing_since IS NULL ORDER BY id;
END
-- end

CREATE TRIGGER events_site_removed AFTER DELETE ON cms_sites_site
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'site.deleted', OLD.id, OLD.id, '[]';
END
-- end

CREATE TRIGGER events_user_added AFTER INSERT ON accounts_user
BEGIN
    INSERT INTO events_event (at, name, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'user.created', NEW.id, '[]';
END
-- end

CREATE TRIGGER events_user_changed AFTER UPDATE ON accounts_user
BEGIN
    INSERT INTO events_event (at, name, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'user.changed', NEW.id, '[' || substr(told, 2) || ']'
    FROM (SELECT /*NEW.user_fields*/ AS told) WHERE told <> '';
END
-- end

CREATE TRIGGER events_user_removed AFTER DELETE ON accounts_user
BEGIN
    INSERT INTO events_event (at, name, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'user.deleted', OLD.id, '[]';
END
-- end

-- A file in the trash, one that the storage has lost, and one of a site in the trash do not exist for clients.
CREATE TRIGGER events_media_added AFTER INSERT ON media_library_mediafile
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'media.created', NEW.site_id, NEW.id, '[]'
    WHERE NEW.trashed_at IS NULL AND NEW.missing_since IS NULL
    AND NOT EXISTS (SELECT 1 FROM cms_sites_site WHERE id = NEW.site_id AND trashed_at IS NOT NULL);
END
-- end

CREATE TRIGGER events_media_changed AFTER UPDATE ON media_library_mediafile
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), name, NEW.site_id, NEW.id, CASE name WHEN 'media.changed' THEN '[' || substr(told, 2) || ']' ELSE '[]' END
    FROM (
        SELECT told, CASE
            WHEN was AND NOT is_now THEN 'media.deleted'
            WHEN is_now AND NOT was THEN 'media.created'
            WHEN is_now AND told <> '' THEN 'media.changed'
        END AS name
        FROM (
            SELECT /*NEW.media_fields*/ AS told,
                OLD.trashed_at IS NULL AND OLD.missing_since IS NULL AS was,
                NEW.trashed_at IS NULL AND NEW.missing_since IS NULL AS is_now
        )
    )
    WHERE name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM cms_sites_site WHERE id = NEW.site_id AND trashed_at IS NOT NULL);
END
-- end

CREATE TRIGGER events_media_removed AFTER DELETE ON media_library_mediafile
BEGIN
    INSERT INTO events_event (at, name, site_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'media.deleted', OLD.site_id, OLD.id, '[]'
    WHERE OLD.trashed_at IS NULL AND OLD.missing_since IS NULL
    AND NOT EXISTS (SELECT 1 FROM cms_sites_site WHERE id = OLD.site_id AND trashed_at IS NOT NULL);
END
-- end

-- Spam does not exist for clients. What a visitor has just sent has a digest; other entries come with an import.
CREATE TRIGGER events_entry_added AFTER INSERT ON forms_entry WHEN NEW.state <> 'spam'
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, form_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), iif(NEW.digest = '', 'form.entry_changed', 'form.submitted'), site_id, NEW.channel_id, id, NEW.id, '[]'
    FROM forms_form WHERE id = NEW.form_id;
END
-- end

CREATE TRIGGER events_entry_changed AFTER UPDATE OF state, reply, "values" ON forms_entry
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, form_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), e.name, f.site_id, NEW.channel_id, f.id, NEW.id, CASE e.name WHEN 'form.entry_changed' THEN '[' || substr(told, 2) || ']' ELSE '[]' END
    FROM (
        SELECT told, CASE
            WHEN OLD.state = 'spam' AND NEW.state <> 'spam' THEN 'form.submitted'
            WHEN OLD.state <> 'spam' AND NEW.state = 'spam' THEN 'form.entry_deleted'
            WHEN NEW.state <> 'spam' AND told <> '' THEN 'form.entry_changed'
        END AS name
        FROM (
            SELECT CASE WHEN OLD.reply <> NEW.reply THEN ',"replyContent"' ELSE '' END
                || CASE WHEN OLD.state <> NEW.state THEN ',"state"' ELSE '' END
                || CASE WHEN OLD."values" <> NEW."values" THEN ',"values"' ELSE '' END AS told
        )
    ) e JOIN forms_form f ON f.id = NEW.form_id
    WHERE e.name IS NOT NULL;
END
-- end

CREATE TRIGGER events_entry_removed AFTER DELETE ON forms_entry WHEN OLD.state <> 'spam'
BEGIN
    INSERT INTO events_event (at, name, site_id, channel_id, form_id, subject_id, fields)
    SELECT strftime('%Y-%m-%d %H:%M:%f', 'now', 'localtime'), 'form.entry_deleted', site_id, OLD.channel_id, id, OLD.id, '[]'
    FROM forms_form WHERE id = OLD.form_id;
END
-- end
