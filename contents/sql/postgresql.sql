-- Keeps contents_listedcontent (which lists a content stands in, with the sort keys) and
-- contents_listedcount (how many contents of each combination of flags a list holds).
-- Row triggers: their statements compare with single values, whose plans are made once per connection.
-- Statement triggers with transition tables were measured, and cost twice as much per new content.

CREATE OR REPLACE FUNCTION contents_names(joined text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT string_to_array(regexp_replace(btrim(joined), ' *, *', ',', 'g'), ',')
$$
-- end

-- Lists a content: in its channel and those above, in its groups, under its tags. In the order of the
-- lists, so that no two writers wait for each other in a circle.
CREATE OR REPLACE FUNCTION contents_content_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    names text[];
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM contents_listedcontent WHERE content_id = OLD.id;
    END IF;
    IF TG_OP = 'DELETE' OR NEW.trashed_at IS NOT NULL THEN
        RETURN NULL;
    END IF;

    -- No channel of the site may move between the look at its ancestors and the commit.
    PERFORM pg_advisory_xact_lock_shared(7341, (NEW.site_id % 2147483647)::int);
    INSERT INTO contents_listedcontent (kind, owner_id, content_id, is_checked, is_top, is_recommend,
                                        is_hot, is_color, channel_id, taxis, add_date)
    SELECT 0, ancestor_id, NEW.id, NEW.is_checked, NEW.is_top, NEW.is_recommend,
           NEW.is_hot, NEW.is_color, NEW.channel_id, NEW.taxis, NEW.add_date
    FROM channels_app_channelancestor WHERE channel_id = NEW.channel_id ORDER BY 2;

    IF NEW.group_name_collection <> '' THEN
        names := contents_names(NEW.group_name_collection);
        INSERT INTO contents_contentgroup (site_id, group_name, taxis, description)
        SELECT DISTINCT NEW.site_id, name, 0, '' FROM unnest(names) AS name
        WHERE name <> '' AND NOT EXISTS (
            SELECT FROM contents_contentgroup WHERE site_id = NEW.site_id AND group_name = name)
        ORDER BY 2 ON CONFLICT DO NOTHING;
        INSERT INTO contents_listedcontent (kind, owner_id, content_id, is_checked, is_top, is_recommend,
                                            is_hot, is_color, channel_id, taxis, add_date)
        SELECT 1, id, NEW.id, NEW.is_checked, NEW.is_top, NEW.is_recommend,
               NEW.is_hot, NEW.is_color, NEW.channel_id, NEW.taxis, NEW.add_date
        FROM contents_contentgroup WHERE site_id = NEW.site_id AND group_name = ANY (names) ORDER BY 2;
    END IF;

    IF NEW.tags <> '' THEN
        names := contents_names(NEW.tags);
        INSERT INTO contents_contenttag (site_id, tag_name)
        SELECT DISTINCT NEW.site_id, name FROM unnest(names) AS name
        WHERE name <> '' AND NOT EXISTS (
            SELECT FROM contents_contenttag WHERE site_id = NEW.site_id AND tag_name = name)
        ORDER BY 2 ON CONFLICT DO NOTHING;
        INSERT INTO contents_listedcontent (kind, owner_id, content_id, is_checked, is_top, is_recommend,
                                            is_hot, is_color, channel_id, taxis, add_date)
        SELECT 2, id, NEW.id, NEW.is_checked, NEW.is_top, NEW.is_recommend,
               NEW.is_hot, NEW.is_color, NEW.channel_id, NEW.taxis, NEW.add_date
        FROM contents_contenttag WHERE site_id = NEW.site_id AND tag_name = ANY (names) ORDER BY 2;
    END IF;
    RETURN NULL;
END $$
-- end

-- A channel came below another (a new channel, or a move): its contents stand in that list too.
CREATE OR REPLACE FUNCTION contents_ancestor_written() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO contents_listedcontent (kind, owner_id, content_id, is_checked, is_top, is_recommend,
                                            is_hot, is_color, channel_id, taxis, add_date)
        SELECT 0, NEW.ancestor_id, id, is_checked, is_top, is_recommend,
               is_hot, is_color, channel_id, taxis, add_date
        FROM contents_content WHERE channel_id = NEW.channel_id AND trashed_at IS NULL;
    ELSE
        DELETE FROM contents_listedcontent l USING contents_content c
        WHERE c.channel_id = OLD.channel_id AND l.content_id = c.id AND l.kind = 0
          AND l.owner_id = OLD.ancestor_id;
    END IF;
    RETURN NULL;
END $$
-- end

-- The slot gives each connection rows of its own, so that writers of one list do not wait for each other.
CREATE OR REPLACE FUNCTION contents_listed_written() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    l contents_listedcontent := CASE TG_OP WHEN 'INSERT' THEN NEW ELSE OLD END;
BEGIN
    INSERT INTO contents_listedcount AS stored (kind, owner_id, flags, slot, contents)
    VALUES (l.kind, l.owner_id,
            l.is_checked::int + 2 * l.is_top::int + 4 * l.is_recommend::int + 8 * l.is_hot::int
            + 16 * l.is_color::int,
            pg_backend_pid() % 16, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END)
    ON CONFLICT (kind, owner_id, flags, slot) DO UPDATE SET contents = stored.contents + excluded.contents;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER contents_content_added AFTER INSERT OR DELETE ON contents_content
FOR EACH ROW EXECUTE FUNCTION contents_content_written()
-- end
-- Only a change of what a list knows rewrites the content's rows; an edit of the text leaves them.
CREATE OR REPLACE TRIGGER contents_content_changed AFTER UPDATE ON contents_content
FOR EACH ROW WHEN (
    (OLD.site_id, OLD.channel_id, OLD.group_name_collection, OLD.tags, OLD.is_checked, OLD.is_top,
     OLD.is_recommend, OLD.is_hot, OLD.is_color, OLD.taxis, OLD.add_date, OLD.trashed_at IS NULL)
    IS DISTINCT FROM
    (NEW.site_id, NEW.channel_id, NEW.group_name_collection, NEW.tags, NEW.is_checked, NEW.is_top,
     NEW.is_recommend, NEW.is_hot, NEW.is_color, NEW.taxis, NEW.add_date, NEW.trashed_at IS NULL)
)
EXECUTE FUNCTION contents_content_written()
-- end
CREATE OR REPLACE TRIGGER contents_ancestor_added AFTER INSERT OR DELETE ON channels_app_channelancestor
FOR EACH ROW EXECUTE FUNCTION contents_ancestor_written()
-- end
CREATE OR REPLACE TRIGGER contents_count_listed AFTER INSERT OR DELETE ON contents_listedcontent
FOR EACH ROW EXECUTE FUNCTION contents_listed_written()
-- end
