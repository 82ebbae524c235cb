-- Keeps contents_listedcontent (which lists a content stands in, with the sort keys) and
-- contents_listedcount (how many contents of each combination of flags a list holds, those of a channel itself apart).
-- The rules are those of postgresql.sql, row by row; a present content stands in a present channel, too. A comma-separated text becomes rows through
-- JSON: quoted as one string, whose commas then end one string and begin the next.

CREATE TRIGGER contents_content_added AFTER INSERT ON contents_content
BEGIN
    SELECT RAISE(ABORT, 'content_channel_present: the channel of a content is in the trash')
    FROM channels_app_channel WHERE id = NEW.channel_id AND trashed_at IS NOT NULL AND NEW.trashed_at IS NULL;
    INSERT INTO contents_contentgroup (site_id, group_name, taxis, description)
    SELECT DISTINCT NEW.site_id, trim(value), 0, ''
    FROM json_each('[' || replace(json_quote(NEW.group_name_collection), ',', '","') || ']')
    WHERE trim(value, /*blanks*/) <> '' ON CONFLICT DO NOTHING;
    INSERT INTO contents_contenttag (site_id, tag_name)
    SELECT DISTINCT NEW.site_id, trim(value)
    FROM json_each('[' || replace(json_quote(NEW.tags), ',', '","') || ']')
    WHERE trim(value, /*blanks*/) <> '' ON CONFLICT DO NOTHING;
    INSERT INTO contents_listedcontent (kind, owner_id, content_id, /*keys*/)
    SELECT kind, owner_id, NEW.id, /*NEW.keys*/
    FROM (
        SELECT 0 AS kind, ancestor_id AS owner_id FROM channels_app_channelancestor
        WHERE channel_id = NEW.channel_id
        UNION ALL
        SELECT 1, id FROM contents_contentgroup WHERE site_id = NEW.site_id AND group_name IN (
            SELECT trim(value)
            FROM json_each('[' || replace(json_quote(NEW.group_name_collection), ',', '","') || ']'))
        UNION ALL
        SELECT 2, id FROM contents_contenttag WHERE site_id = NEW.site_id AND tag_name IN (
            SELECT trim(value) FROM json_each('[' || replace(json_quote(NEW.tags), ',', '","') || ']'))
    )
    WHERE NEW.trashed_at IS NULL;
END
-- end

-- Only a change of what a list knows rewrites the content's rows; an edit of the text leaves them.
CREATE TRIGGER contents_content_changed AFTER UPDATE ON contents_content
WHEN (OLD.site_id, OLD.group_name_collection, OLD.tags, OLD.trashed_at, /*OLD.keys*/)
    IS NOT (NEW.site_id, NEW.group_name_collection, NEW.tags, NEW.trashed_at, /*NEW.keys*/)
BEGIN
    SELECT RAISE(ABORT, 'content_channel_present: the channel of a content is in the trash')
    FROM channels_app_channel WHERE id = NEW.channel_id AND trashed_at IS NOT NULL AND NEW.trashed_at IS NULL;
    DELETE FROM contents_listedcontent WHERE content_id = OLD.id;
    INSERT INTO contents_contentgroup (site_id, group_name, taxis, description)
    SELECT DISTINCT NEW.site_id, trim(value), 0, ''
    FROM json_each('[' || replace(json_quote(NEW.group_name_collection), ',', '","') || ']')
    WHERE trim(value, /*blanks*/) <> '' ON CONFLICT DO NOTHING;
    INSERT INTO contents_contenttag (site_id, tag_name)
    SELECT DISTINCT NEW.site_id, trim(value)
    FROM json_each('[' || replace(json_quote(NEW.tags), ',', '","') || ']')
    WHERE trim(value, /*blanks*/) <> '' ON CONFLICT DO NOTHING;
    INSERT INTO contents_listedcontent (kind, owner_id, content_id, /*keys*/)
    SELECT kind, owner_id, NEW.id, /*NEW.keys*/
    FROM (
        SELECT 0 AS kind, ancestor_id AS owner_id FROM channels_app_channelancestor
        WHERE channel_id = NEW.channel_id
        UNION ALL
        SELECT 1, id FROM contents_contentgroup WHERE site_id = NEW.site_id AND group_name IN (
            SELECT trim(value)
            FROM json_each('[' || replace(json_quote(NEW.group_name_collection), ',', '","') || ']'))
        UNION ALL
        SELECT 2, id FROM contents_contenttag WHERE site_id = NEW.site_id AND tag_name IN (
            SELECT trim(value) FROM json_each('[' || replace(json_quote(NEW.tags), ',', '","') || ']'))
    )
    WHERE NEW.trashed_at IS NULL;
    -- The trash changes no text, so what was approved for a time stays approved.
    UPDATE contents_contentschedule SET approved_version = NEW.version
    WHERE OLD.trashed_at IS NOT NEW.trashed_at AND content_id = NEW.id AND approved_version = OLD.version;
END
-- end

CREATE TRIGGER contents_content_removed AFTER DELETE ON contents_content
BEGIN
    DELETE FROM contents_listedcontent WHERE content_id = OLD.id;
END
-- end

-- A channel came below another (a new channel, or a move): its contents stand in that list too.
CREATE TRIGGER contents_ancestor_added AFTER INSERT ON channels_app_channelancestor
BEGIN
    INSERT INTO contents_listedcontent (kind, owner_id, content_id, /*keys*/)
    SELECT 0, NEW.ancestor_id, id, /*keys*/
    FROM contents_content WHERE channel_id = NEW.channel_id AND trashed_at IS NULL;
END
-- end

CREATE TRIGGER contents_ancestor_removed AFTER DELETE ON channels_app_channelancestor
BEGIN
    DELETE FROM contents_listedcontent
    WHERE content_id IN (SELECT id FROM contents_content WHERE channel_id = OLD.channel_id)
      AND kind = 0 AND owner_id = OLD.ancestor_id;
END
-- end

CREATE TRIGGER contents_count_listed AFTER INSERT ON contents_listedcontent
BEGIN
    INSERT INTO contents_listedcount (kind, owner_id, flags, slot, contents)
    VALUES (NEW.kind, NEW.owner_id, /*NEW.flags*/, 0, 1)
    ON CONFLICT (kind, owner_id, flags, slot) DO UPDATE SET contents = contents + 1;
END
-- end

CREATE TRIGGER contents_count_unlisted AFTER DELETE ON contents_listedcontent
BEGIN
    -- An update, so that emptying every table in any order (`manage.py flush`) leaves no counts behind.
    UPDATE contents_listedcount SET contents = contents - 1
    WHERE kind = OLD.kind AND owner_id = OLD.owner_id AND slot = 0 AND flags = /*OLD.flags*/;
END
-- end

-- Earlier releases counted the contents of a channel itself together with those below it.
DELETE FROM contents_listedcount
WHERE kind = 0 AND NOT EXISTS (SELECT 1 FROM contents_listedcount WHERE flags >= 32)
-- end
INSERT INTO contents_listedcount (kind, owner_id, flags, slot, contents)
SELECT kind, owner_id, /*flags*/, 0, COUNT(*) FROM contents_listedcontent
WHERE kind = 0 AND NOT EXISTS (SELECT 1 FROM contents_listedcount WHERE kind = 0) GROUP BY 1, 2, 3
-- end
