-- Writes media_library_mediause. The statements are expressions of media_library/use_sources.py. Row triggers, since
-- their conditions spare records without addresses the call of a function.

CREATE OR REPLACE FUNCTION media_library_json(written text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF position('\' IN written) > 0 THEN
        BEGIN
            RETURN written::jsonb::text;
        EXCEPTION WHEN OTHERS THEN
            RETURN written;
        END;
    END IF;
    RETURN written;
END $$
-- end

CREATE OR REPLACE FUNCTION media_library_decoded(path text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    RETURN (
        SELECT convert_from(decode(string_agg(
            CASE WHEN part[1] ~ '^%.' THEN substr(part[1], 2) ELSE encode(convert_to(part[1], 'UTF8'), 'hex') END,
            '' ORDER BY n), 'hex'), 'UTF8')
        FROM regexp_matches(path, '%[0-9A-Fa-f]{2}|[^%]+|%', 'g') WITH ORDINALITY AS parts (part, n));
EXCEPTION WHEN OTHERS THEN
    RETURN path;  -- no UTF-8
END $$
-- end

-- The path, and what else it may mean.
CREATE OR REPLACE FUNCTION media_library_forms(path text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    forms text[] := ARRAY[path];
    decoded text;
BEGIN
    IF position('%' IN path) > 0 THEN
        decoded := media_library_decoded(path);
        forms := forms || decoded || split_part(regexp_replace(decoded, '/*end*/', E'\n'), E'\n', 1);
    END IF;
    IF position('_small.' IN path) > 0 OR position('_middle.' IN path) > 0 OR cardinality(forms) > 1 THEN
        forms := forms || ARRAY(
            SELECT replace(replace(form, '_small.', '.'), '_middle.', '.') FROM unnest(forms) AS form);
    END IF;
    RETURN forms;
END $$
-- end

CREATE OR REPLACE FUNCTION media_library_addresses(written text) RETURNS SETOF text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
    IF position('@/' IN written) = 0 AND position('/upload/' IN written) = 0 THEN
        RETURN;
    END IF;
    RETURN QUERY
    SELECT DISTINCT form
    FROM unnest(string_to_array(replace(replace(replace(translate(written, E'\x01', E'\n'),
        '@/upload/', '/upload/'), '/upload/', E'\x01upload/'), '@/', E'\x01'), E'\x01')) WITH ORDINALITY AS parts (part, n),
    unnest(media_library_forms(
        split_part(regexp_replace(left(part, /*longest*/ + 1), '/*end*/', E'\n'), E'\n', 1))) AS form
    WHERE n > 1 AND octet_length(form) <= /*longest*/ AND form NOT IN /*never*/;
END $$
-- end

CREATE OR REPLACE FUNCTION media_library_body_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        /*new.store_body*/;
    ELSE
        /*new.renew_body*/;
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_body_added AFTER INSERT ON contents_contentbody
FOR EACH ROW WHEN (/*new.body_has*/) EXECUTE FUNCTION media_library_body_written()
-- end
CREATE OR REPLACE TRIGGER media_library_body_changed AFTER UPDATE OF /*new.body_columns*/ ON contents_contentbody
FOR EACH ROW WHEN (/*new.body_changed*/) EXECUTE FUNCTION media_library_body_written()
-- end
CREATE OR REPLACE TRIGGER media_library_body_removed AFTER DELETE ON contents_contentbody
FOR EACH ROW WHEN (/*old.body_has*/) EXECUTE FUNCTION media_library_body_written()
-- end

CREATE OR REPLACE FUNCTION media_library_fields_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        /*new.store_fields*/;
    ELSE
        /*new.renew_fields*/;
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_fields_added AFTER INSERT ON contents_content
FOR EACH ROW WHEN (/*new.fields_has*/) EXECUTE FUNCTION media_library_fields_written()
-- end
CREATE OR REPLACE TRIGGER media_library_fields_changed AFTER UPDATE OF /*new.fields_columns*/ ON contents_content
FOR EACH ROW WHEN (/*new.fields_changed*/) EXECUTE FUNCTION media_library_fields_written()
-- end
CREATE OR REPLACE TRIGGER media_library_fields_removed AFTER DELETE ON contents_content
FOR EACH ROW WHEN (/*old.fields_has*/) EXECUTE FUNCTION media_library_fields_written()
-- end

CREATE OR REPLACE FUNCTION media_library_pictures_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        /*new.store_pictures*/;
    ELSE
        /*new.renew_pictures*/;
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_pictures_added AFTER INSERT ON contents_contentpicture
FOR EACH ROW WHEN (/*new.pictures_has*/) EXECUTE FUNCTION media_library_pictures_written()
-- end
CREATE OR REPLACE TRIGGER media_library_pictures_changed AFTER UPDATE OF /*new.pictures_columns*/ ON contents_contentpicture
FOR EACH ROW WHEN (/*new.pictures_changed*/) EXECUTE FUNCTION media_library_pictures_written()
-- end
CREATE OR REPLACE TRIGGER media_library_pictures_removed AFTER DELETE ON contents_contentpicture
FOR EACH ROW WHEN (/*old.pictures_has*/) EXECUTE FUNCTION media_library_pictures_written()
-- end

CREATE OR REPLACE FUNCTION media_library_draft_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        /*new.store_draft*/;
    ELSE
        /*new.renew_draft*/;
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_draft_added AFTER INSERT ON contents_contentdraft
FOR EACH ROW WHEN (/*new.draft_has*/) EXECUTE FUNCTION media_library_draft_written()
-- end
CREATE OR REPLACE TRIGGER media_library_draft_changed AFTER UPDATE OF /*new.draft_columns*/ ON contents_contentdraft
FOR EACH ROW WHEN (/*new.draft_changed*/) EXECUTE FUNCTION media_library_draft_written()
-- end
CREATE OR REPLACE TRIGGER media_library_draft_removed AFTER DELETE ON contents_contentdraft
FOR EACH ROW WHEN (/*old.draft_has*/) EXECUTE FUNCTION media_library_draft_written()
-- end

CREATE OR REPLACE FUNCTION media_library_channel_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        /*new.store_channel*/;
    ELSE
        /*new.renew_channel*/;
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_channel_added AFTER INSERT ON channels_app_channel
FOR EACH ROW WHEN (/*new.channel_has*/) EXECUTE FUNCTION media_library_channel_written()
-- end
CREATE OR REPLACE TRIGGER media_library_channel_changed AFTER UPDATE OF /*new.channel_columns*/ ON channels_app_channel
FOR EACH ROW WHEN (/*new.channel_changed*/) EXECUTE FUNCTION media_library_channel_written()
-- end
CREATE OR REPLACE TRIGGER media_library_channel_removed AFTER DELETE ON channels_app_channel
FOR EACH ROW WHEN (/*old.channel_has*/) EXECUTE FUNCTION media_library_channel_written()
-- end

CREATE OR REPLACE FUNCTION media_library_template_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        /*new.store_template*/;
    ELSE
        /*new.renew_template*/;
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_template_added AFTER INSERT ON pages_template
FOR EACH ROW WHEN (/*new.template_has*/) EXECUTE FUNCTION media_library_template_written()
-- end
CREATE OR REPLACE TRIGGER media_library_template_changed AFTER UPDATE OF /*new.template_columns*/ ON pages_template
FOR EACH ROW WHEN (/*new.template_changed*/) EXECUTE FUNCTION media_library_template_written()
-- end
CREATE OR REPLACE TRIGGER media_library_template_removed AFTER DELETE ON pages_template
FOR EACH ROW WHEN (/*old.template_has*/) EXECUTE FUNCTION media_library_template_written()
-- end

CREATE OR REPLACE FUNCTION media_library_site_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        /*new.store_site*/;
    ELSE
        /*new.renew_site*/;
    END IF;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_site_added AFTER INSERT ON cms_sites_site
FOR EACH ROW WHEN (/*new.site_has*/) EXECUTE FUNCTION media_library_site_written()
-- end
CREATE OR REPLACE TRIGGER media_library_site_changed AFTER UPDATE OF /*new.site_columns*/ ON cms_sites_site
FOR EACH ROW WHEN (/*new.site_changed*/) EXECUTE FUNCTION media_library_site_written()
-- end
CREATE OR REPLACE TRIGGER media_library_site_removed AFTER DELETE ON cms_sites_site
FOR EACH ROW WHEN (/*old.site_has*/) EXECUTE FUNCTION media_library_site_written()
-- end

-- Rows of body and pictures have no site of their own.
CREATE OR REPLACE FUNCTION media_library_content_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE media_library_mediause SET site_id = NEW.site_id
    WHERE source IN ('content.body', 'content.pictures') AND source_id = NEW.id;
    RETURN NULL;
END $$
-- end
CREATE OR REPLACE TRIGGER media_library_content_moved AFTER UPDATE OF site_id ON contents_content
FOR EACH ROW WHEN (OLD.site_id <> NEW.site_id) EXECUTE FUNCTION media_library_content_moved()
-- end
