-- Write events_event: one row for each content, channel, site, user or file that a statement creates, changes or deletes.
-- Statement triggers, since an import would otherwise call them for each row. The expressions are those of
-- events/expressions.py: `told` holds the names of changed members.

CREATE OR REPLACE FUNCTION events_content_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, subject_id, version, fields)
    SELECT now(), txid_current(), 'content.created', site_id, channel_id, id, version, '[]'
    FROM changed WHERE trashed_at IS NULL ORDER BY id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_content_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    WITH bodies AS (
        DELETE FROM events_event USING gone o JOIN changed n ON n.id = o.id AND n.version > o.version
        WHERE /*n.event_of_body*/ AND transaction_id = txid_current()
        RETURNING subject_id
    )
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, subject_id, version, fields)
    SELECT now(), txid_current(), e.name, e.site_id, e.channel_id, e.id, e.version, '[' || substr(e.told, 2) || ']'
    FROM (
        SELECT n.site_id, n.channel_id, n.id, n.version, t.told, CASE
            WHEN o.trashed_at IS NULL AND n.trashed_at IS NOT NULL THEN 'content.trashed'
            WHEN o.trashed_at IS NOT NULL AND n.trashed_at IS NULL THEN 'content.restored'
            WHEN n.trashed_at IS NOT NULL THEN NULL
            WHEN n.is_checked AND NOT o.is_checked THEN 'content.published'
            WHEN o.is_checked AND NOT n.is_checked THEN 'content.unpublished'
            WHEN o.channel_id <> n.channel_id OR o.site_id <> n.site_id THEN 'content.moved'
            WHEN t.told <> '' THEN 'content.changed'
        END AS name
        FROM gone o JOIN changed n ON n.id = o.id LEFT JOIN bodies b ON b.subject_id = n.id,
            LATERAL (SELECT /*n.content_fields*/ AS told) t
    ) e
    WHERE e.name IS NOT NULL ORDER BY e.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_content_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, subject_id, version, fields)
    SELECT now(), txid_current(), 'content.deleted', site_id, channel_id, id, version, '[]' FROM gone ORDER BY id;
    RETURN NULL;
END $$
-- end

-- The body of a content that the same transaction has created is part of the creation.
CREATE OR REPLACE FUNCTION events_body_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, subject_id, version, fields)
    SELECT now(), txid_current(), 'content.changed', c.site_id, c.channel_id, c.id, c.version, '["content"]'
    FROM changed b JOIN contents_content c ON c.id = b.content_id
    WHERE c.trashed_at IS NULL AND NOT EXISTS (
        SELECT FROM events_event e WHERE e.position IS NULL AND e.subject_id = b.content_id
        AND e.name = 'content.created' AND e.transaction_id = txid_current())
    ORDER BY c.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_body_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, subject_id, version, fields)
    SELECT now(), txid_current(), 'content.changed', c.site_id, c.channel_id, c.id, c.version, '["content"]'
    FROM gone o JOIN changed n ON n.content_id = o.content_id AND n.text <> o.text
    JOIN contents_content c ON c.id = n.content_id
    WHERE c.trashed_at IS NULL ORDER BY c.id;
    RETURN NULL;
END $$
-- end

-- The home channel of a new site is stored with site 0 first (channels_app.services.create_site).
CREATE OR REPLACE FUNCTION events_channel_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), 'channel.created', site_id, id, '[]'
    FROM changed WHERE site_id <> 0 AND trashed_at IS NULL ORDER BY id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_channel_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), e.name, e.site_id, e.id, '[' || substr(e.told, 2) || ']'
    FROM (
        SELECT n.site_id, n.id, t.told, CASE
            WHEN o.site_id = 0 AND n.site_id <> 0 THEN 'channel.created'
            WHEN o.trashed_at IS NULL AND n.trashed_at IS NOT NULL THEN 'channel.trashed'
            WHEN o.trashed_at IS NOT NULL AND n.trashed_at IS NULL THEN 'channel.restored'
            WHEN n.trashed_at IS NOT NULL THEN NULL
            WHEN o.parent_id IS DISTINCT FROM n.parent_id OR /*n.is_reordered*/ THEN 'channel.moved'
            WHEN t.told <> '' THEN 'channel.changed'
        END AS name
        FROM gone o JOIN changed n ON n.id = o.id, LATERAL (SELECT /*n.channel_fields*/ AS told) t
    ) e
    WHERE e.name IS NOT NULL ORDER BY e.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_channel_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), 'channel.deleted', site_id, id, '[]' FROM gone ORDER BY id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_site_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), 'site.created', id, id, '[]' FROM changed ORDER BY id;
    RETURN NULL;
END $$
-- end

-- The web address is no member, but the addresses of all pages follow it.
CREATE OR REPLACE FUNCTION events_site_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), e.name, e.id, e.id, '[' || substr(e.told, 2) || ']'
    FROM (
        SELECT n.id, t.told, CASE
            WHEN o.trashed_at IS NULL AND n.trashed_at IS NOT NULL THEN 'site.trashed'
            WHEN o.trashed_at IS NOT NULL AND n.trashed_at IS NULL THEN 'site.restored'
            WHEN n.trashed_at IS NOT NULL THEN NULL
            WHEN t.told <> '' OR o.web_url <> n.web_url THEN 'site.changed'
        END AS name
        FROM gone o JOIN changed n ON n.id = o.id, LATERAL (SELECT /*n.site_fields*/ AS told) t
    ) e
    WHERE e.name IS NOT NULL ORDER BY e.id;
    -- Its files go to the trash and come back with it, while their rows stay as they are.
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), CASE WHEN n.trashed_at IS NULL THEN 'media.created' ELSE 'media.deleted' END, f.site_id, f.id, '[]'
    FROM gone o JOIN changed n ON n.id = o.id AND (n.trashed_at IS NULL) <> (o.trashed_at IS NULL)
    JOIN media_library_mediafile f ON f.site_id = n.id AND f.trashed_at IS NULL AND f.missing_since IS NULL
    ORDER BY f.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_site_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), 'site.deleted', id, id, '[]' FROM gone ORDER BY id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_user_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, subject_id, fields)
    SELECT now(), txid_current(), 'user.created', id, '[]' FROM changed ORDER BY id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_user_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, subject_id, fields)
    SELECT now(), txid_current(), 'user.changed', n.id, '[' || substr(t.told, 2) || ']'
    FROM gone o JOIN changed n ON n.id = o.id, LATERAL (SELECT /*n.user_fields*/ AS told) t
    WHERE t.told <> '' ORDER BY n.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_user_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, subject_id, fields)
    SELECT now(), txid_current(), 'user.deleted', id, '[]' FROM gone ORDER BY id;
    RETURN NULL;
END $$
-- end

-- A file in the trash, one that the storage has lost, and one of a site in the trash do not exist for clients.
CREATE OR REPLACE FUNCTION events_media_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), 'media.created', site_id, id, '[]' FROM changed f
    WHERE trashed_at IS NULL AND missing_since IS NULL
    AND NOT EXISTS (SELECT FROM cms_sites_site s WHERE s.id = f.site_id AND s.trashed_at IS NOT NULL) ORDER BY id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_media_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), e.name, e.site_id, e.id,
        CASE e.name WHEN 'media.changed' THEN '[' || substr(e.told, 2) || ']' ELSE '[]' END
    FROM (
        SELECT n.site_id, n.id, t.told, CASE
            WHEN t.was AND NOT t.is_now THEN 'media.deleted'
            WHEN t.is_now AND NOT t.was THEN 'media.created'
            WHEN t.is_now AND t.told <> '' THEN 'media.changed'
        END AS name
        FROM gone o JOIN changed n ON n.id = o.id, LATERAL (
            SELECT /*n.media_fields*/ AS told,
                o.trashed_at IS NULL AND o.missing_since IS NULL AS was,
                n.trashed_at IS NULL AND n.missing_since IS NULL AS is_now
        ) t
    ) e
    WHERE e.name IS NOT NULL
    AND NOT EXISTS (SELECT FROM cms_sites_site s WHERE s.id = e.site_id AND s.trashed_at IS NOT NULL) ORDER BY e.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_media_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, subject_id, fields)
    SELECT now(), txid_current(), 'media.deleted', site_id, id, '[]' FROM gone f
    WHERE trashed_at IS NULL AND missing_since IS NULL
    AND NOT EXISTS (SELECT FROM cms_sites_site s WHERE s.id = f.site_id AND s.trashed_at IS NOT NULL) ORDER BY id;
    RETURN NULL;
END $$
-- end

-- Spam does not exist for clients. What a visitor has just sent has a digest; other entries come with an import.
CREATE OR REPLACE FUNCTION events_entry_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, form_id, subject_id, fields)
    SELECT now(), txid_current(), CASE n.digest WHEN '' THEN 'form.entry_changed' ELSE 'form.submitted' END,
        f.site_id, n.channel_id, f.id, n.id, '[]'
    FROM changed n JOIN forms_form f ON f.id = n.form_id WHERE n.state <> 'spam' ORDER BY n.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_entry_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, form_id, subject_id, fields)
    SELECT now(), txid_current(), e.name, f.site_id, e.channel_id, f.id, e.id,
        CASE e.name WHEN 'form.entry_changed' THEN '[' || substr(e.told, 2) || ']' ELSE '[]' END
    FROM (
        SELECT n.id, n.form_id, n.channel_id, t.told, CASE
            WHEN o.state = 'spam' AND n.state <> 'spam' THEN 'form.submitted'
            WHEN o.state <> 'spam' AND n.state = 'spam' THEN 'form.entry_deleted'
            WHEN n.state <> 'spam' AND t.told <> '' THEN 'form.entry_changed'
        END AS name
        FROM gone o JOIN changed n ON n.id = o.id, LATERAL (
            SELECT CASE WHEN o.reply <> n.reply THEN ',"replyContent"' ELSE '' END
                || CASE WHEN o.state <> n.state THEN ',"state"' ELSE '' END
                || CASE WHEN o."values" <> n."values" THEN ',"values"' ELSE '' END AS told
        ) t
    ) e JOIN forms_form f ON f.id = e.form_id
    WHERE e.name IS NOT NULL ORDER BY e.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION events_entry_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO events_event (at, transaction_id, name, site_id, channel_id, form_id, subject_id, fields)
    SELECT now(), txid_current(), 'form.entry_deleted', f.site_id, o.channel_id, f.id, o.id, '[]'
    FROM gone o JOIN forms_form f ON f.id = o.form_id WHERE o.state <> 'spam' ORDER BY o.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER events_content_added AFTER INSERT ON contents_content
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_content_added()
-- end
CREATE OR REPLACE TRIGGER events_content_changed AFTER UPDATE ON contents_content
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_content_changed()
-- end
CREATE OR REPLACE TRIGGER events_content_removed AFTER DELETE ON contents_content
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION events_content_removed()
-- end
CREATE OR REPLACE TRIGGER events_body_added AFTER INSERT ON contents_contentbody
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_body_added()
-- end
CREATE OR REPLACE TRIGGER events_body_changed AFTER UPDATE ON contents_contentbody
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_body_changed()
-- end
CREATE OR REPLACE TRIGGER events_channel_added AFTER INSERT ON channels_app_channel
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_channel_added()
-- end
CREATE OR REPLACE TRIGGER events_channel_changed AFTER UPDATE ON channels_app_channel
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_channel_changed()
-- end
CREATE OR REPLACE TRIGGER events_channel_removed AFTER DELETE ON channels_app_channel
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION events_channel_removed()
-- end
CREATE OR REPLACE TRIGGER events_site_added AFTER INSERT ON cms_sites_site
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_site_added()
-- end
CREATE OR REPLACE TRIGGER events_site_changed AFTER UPDATE ON cms_sites_site
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_site_changed()
-- end
CREATE OR REPLACE TRIGGER events_site_removed AFTER DELETE ON cms_sites_site
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION events_site_removed()
-- end
CREATE OR REPLACE TRIGGER events_user_added AFTER INSERT ON accounts_user
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_user_added()
-- end
CREATE OR REPLACE TRIGGER events_user_changed AFTER UPDATE ON accounts_user
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_user_changed()
-- end
CREATE OR REPLACE TRIGGER events_user_removed AFTER DELETE ON accounts_user
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION events_user_removed()
-- end
CREATE OR REPLACE TRIGGER events_media_added AFTER INSERT ON media_library_mediafile
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_media_added()
-- end
CREATE OR REPLACE TRIGGER events_media_changed AFTER UPDATE ON media_library_mediafile
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_media_changed()
-- end
CREATE OR REPLACE TRIGGER events_media_removed AFTER DELETE ON media_library_mediafile
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION events_media_removed()
-- end
CREATE OR REPLACE TRIGGER events_entry_added AFTER INSERT ON forms_entry
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_entry_added()
-- end
CREATE OR REPLACE TRIGGER events_entry_changed AFTER UPDATE ON forms_entry
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION events_entry_changed()
-- end
CREATE OR REPLACE TRIGGER events_entry_removed AFTER DELETE ON forms_entry
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION events_entry_removed()
-- end
