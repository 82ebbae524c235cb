-- Keeps contents_listedcontent (which lists a content stands in, with the sort keys) and
-- contents_listedcount (how many contents of each combination of flags a list holds, those of a channel itself apart).
-- Statement triggers: an import writes a count once per batch. Written row by row in one transaction, the
-- versions of a hot count pile up and every next one has to walk past them.

CREATE OR REPLACE FUNCTION contents_names(joined text) RETURNS text[] LANGUAGE sql IMMUTABLE AS $$
    SELECT string_to_array(regexp_replace(btrim(joined), ' *, *', ',', 'g'), ',')
$$
-- end

-- A present content stands in a present channel. Whoever deletes a channel holds the lock of its site until
-- the deletion is committed, so that a content which was under way meanwhile finds it here.
CREATE OR REPLACE FUNCTION contents_refuse_trashed() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'The channel of a content is in the trash.'
    USING ERRCODE = 'foreign_key_violation', CONSTRAINT = 'content_channel_present';
END $$
-- end

-- Lists new contents: in their channel and those above, in their groups, under their tags.
CREATE OR REPLACE FUNCTION contents_content_added() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    have_groups boolean;
    have_tags boolean;
BEGIN
    -- No channel of the site may move between the look at its ancestors and the commit.
    SELECT bool_or(group_name_collection <> ''), bool_or(tags <> '') INTO have_groups, have_tags
    FROM added WHERE pg_advisory_xact_lock_shared(7341, (site_id % 2147483647)::int) IS NOT NULL;
    IF EXISTS (SELECT FROM added c JOIN channels_app_channel h ON h.id = c.channel_id
               WHERE h.trashed_at IS NOT NULL AND c.trashed_at IS NULL) THEN
        PERFORM contents_refuse_trashed();
    END IF;
    IF have_groups THEN
        INSERT INTO contents_contentgroup (site_id, group_name, taxis, description)
        SELECT DISTINCT c.site_id, name, 0, '' FROM added c, unnest(contents_names(c.group_name_collection)) AS name
        WHERE btrim(name, /*blanks*/) <> '' AND NOT EXISTS (
            SELECT FROM contents_contentgroup g WHERE g.site_id = c.site_id AND g.group_name = name)
        ORDER BY 1, 2 ON CONFLICT DO NOTHING;
    END IF;
    IF have_tags THEN
        INSERT INTO contents_contenttag (site_id, tag_name)
        SELECT DISTINCT c.site_id, name FROM added c, unnest(contents_names(c.tags)) AS name
        WHERE btrim(name, /*blanks*/) <> '' AND NOT EXISTS (
            SELECT FROM contents_contenttag t WHERE t.site_id = c.site_id AND t.tag_name = name)
        ORDER BY 1, 2 ON CONFLICT DO NOTHING;
    END IF;
    -- Apart, because most contents have no names, and looking for them costs a tenth of a creation.
    IF have_groups OR have_tags THEN
        INSERT INTO contents_listedcontent (kind, owner_id, content_id, /*keys*/)
        SELECT l.kind, l.owner_id, c.id, /*c.keys*/
        FROM added c, LATERAL (
            SELECT 0 AS kind, ancestor_id AS owner_id FROM channels_app_channelancestor
            WHERE channel_id = c.channel_id
            UNION ALL
            SELECT 1, n.id FROM unnest(contents_names(c.group_name_collection)) AS name
            JOIN contents_contentgroup n ON n.site_id = c.site_id AND n.group_name = name
            UNION ALL
            SELECT 2, n.id FROM unnest(contents_names(c.tags)) AS name
            JOIN contents_contenttag n ON n.site_id = c.site_id AND n.tag_name = name
        ) l
        WHERE c.trashed_at IS NULL
        ON CONFLICT DO NOTHING;  -- a name may stand twice in a text
    ELSE
        INSERT INTO contents_listedcontent (kind, owner_id, content_id, /*keys*/)
        SELECT 0, a.ancestor_id, c.id, /*c.keys*/
        FROM added c JOIN channels_app_channelancestor a ON a.channel_id = c.channel_id
        WHERE c.trashed_at IS NULL;
    END IF;
    RETURN NULL;
END $$
-- end

-- The same for contents that are there already; whoever calls this holds the lock. Not called for new ones,
-- since reading them again by a list of ids was measured to cost half as much more.
CREATE OR REPLACE FUNCTION contents_list_again(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO contents_contentgroup (site_id, group_name, taxis, description)
    SELECT DISTINCT c.site_id, n.name, 0, ''
    FROM contents_content c, unnest(contents_names(c.group_name_collection)) AS n (name)
    WHERE c.id = ANY (ids) AND btrim(n.name, /*blanks*/) <> '' AND NOT EXISTS (
        SELECT FROM contents_contentgroup g WHERE g.site_id = c.site_id AND g.group_name = n.name)
    ORDER BY 1, 2 ON CONFLICT DO NOTHING;

    INSERT INTO contents_contenttag (site_id, tag_name)
    SELECT DISTINCT c.site_id, n.name FROM contents_content c, unnest(contents_names(c.tags)) AS n (name)
    WHERE c.id = ANY (ids) AND btrim(n.name, /*blanks*/) <> '' AND NOT EXISTS (
        SELECT FROM contents_contenttag t WHERE t.site_id = c.site_id AND t.tag_name = n.name)
    ORDER BY 1, 2 ON CONFLICT DO NOTHING;

    INSERT INTO contents_listedcontent (kind, owner_id, content_id, /*keys*/)
    SELECT l.kind, l.owner_id, c.id, /*c.keys*/
    FROM contents_content c, LATERAL (
        SELECT 0 AS kind, ancestor_id AS owner_id FROM channels_app_channelancestor
        WHERE channel_id = c.channel_id
        UNION ALL
        SELECT 1, n.id FROM unnest(contents_names(c.group_name_collection)) AS name
        JOIN contents_contentgroup n ON n.site_id = c.site_id AND n.group_name = name
        UNION ALL
        SELECT 2, n.id FROM unnest(contents_names(c.tags)) AS name
        JOIN contents_contenttag n ON n.site_id = c.site_id AND n.tag_name = name
    ) l
    WHERE c.id = ANY (ids) AND c.trashed_at IS NULL
    ON CONFLICT DO NOTHING;  -- a name may stand twice in a text
END $$
-- end

-- Only a change of what a list knows rewrites the content's rows; an edit of the text leaves them.
CREATE OR REPLACE FUNCTION contents_content_changed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    ids bigint[] := ARRAY(
        SELECT o.id FROM gone o JOIN added n ON n.id = o.id
        WHERE (o.site_id, o.group_name_collection, o.tags, o.trashed_at IS NULL, /*o.keys*/)
            IS DISTINCT FROM
              (n.site_id, n.group_name_collection, n.tags, n.trashed_at IS NULL, /*n.keys*/));
BEGIN
    IF ids <> '{}' THEN
        -- Before the first look at the lists: a move that is under way writes them too.
        PERFORM pg_advisory_xact_lock_shared(7341, (site_id % 2147483647)::int)
        FROM (SELECT site_id FROM gone WHERE id = ANY (ids) UNION
              SELECT site_id FROM added WHERE id = ANY (ids) ORDER BY 1) sites;
        IF EXISTS (SELECT FROM added c JOIN channels_app_channel h ON h.id = c.channel_id
                   WHERE c.id = ANY (ids) AND h.trashed_at IS NOT NULL AND c.trashed_at IS NULL) THEN
            PERFORM contents_refuse_trashed();
        END IF;
        -- A change takes from one count and adds to another of the same list. Locked beforehand and in
        -- order, so that two changes which share a slot do not wait for each other in a circle.
        PERFORM FROM contents_listedcount n JOIN (
            SELECT kind, owner_id FROM contents_listedcontent WHERE content_id = ANY (ids)
            UNION
            SELECT 0, a.ancestor_id FROM added c JOIN channels_app_channelancestor a ON a.channel_id = c.channel_id
            WHERE c.id = ANY (ids)
        ) l ON l.kind = n.kind AND l.owner_id = n.owner_id
        WHERE n.slot = pg_backend_pid() % 16
        ORDER BY n.kind, n.owner_id, n.flags FOR UPDATE OF n;
        DELETE FROM contents_listedcontent WHERE content_id = ANY (ids);
        PERFORM contents_list_again(ids);
        -- The trash changes no text, so what was approved for a time stays approved.
        UPDATE contents_contentschedule s SET approved_version = n.version
        FROM gone o JOIN added n ON n.id = o.id
        WHERE o.trashed_at IS DISTINCT FROM n.trashed_at AND s.content_id = n.id AND s.approved_version = o.version;
    END IF;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION contents_content_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(7341, (site_id % 2147483647)::int)
    FROM (SELECT DISTINCT site_id FROM gone) sites;
    DELETE FROM contents_listedcontent WHERE content_id IN (SELECT id FROM gone);
    RETURN NULL;
END $$
-- end

-- A channel came below another (a new channel, or a move): its contents stand in that list too.
CREATE OR REPLACE FUNCTION contents_ancestor_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO contents_listedcontent (kind, owner_id, content_id, /*keys*/)
    SELECT 0, a.ancestor_id, c.id, /*c.keys*/
    FROM added a JOIN contents_content c ON c.channel_id = a.channel_id
    WHERE c.trashed_at IS NULL;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION contents_ancestor_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM contents_listedcontent l USING gone a JOIN contents_content c ON c.channel_id = a.channel_id
    WHERE l.content_id = c.id AND l.kind = 0 AND l.owner_id = a.ancestor_id;
    RETURN NULL;
END $$
-- end

-- The slot spreads the writers of one list over rows of their own; sorted, so that no two of them
-- wait for each other in a circle.
CREATE OR REPLACE FUNCTION contents_count_listed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO contents_listedcount AS stored (kind, owner_id, flags, slot, contents)
    SELECT kind, owner_id, /*flags*/, pg_backend_pid() % 16, count(*)
    FROM added GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (kind, owner_id, flags, slot) DO UPDATE SET contents = stored.contents + excluded.contents;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION contents_count_unlisted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO contents_listedcount AS stored (kind, owner_id, flags, slot, contents)
    SELECT kind, owner_id, /*flags*/, pg_backend_pid() % 16, -count(*)
    FROM gone GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (kind, owner_id, flags, slot) DO UPDATE SET contents = stored.contents + excluded.contents;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER contents_content_added AFTER INSERT ON contents_content
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION contents_content_added()
-- end
CREATE OR REPLACE TRIGGER contents_content_changed AFTER UPDATE ON contents_content
REFERENCING OLD TABLE AS gone NEW TABLE AS added
FOR EACH STATEMENT EXECUTE FUNCTION contents_content_changed()
-- end
CREATE OR REPLACE TRIGGER contents_content_removed AFTER DELETE ON contents_content
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION contents_content_removed()
-- end
CREATE OR REPLACE TRIGGER contents_ancestor_added AFTER INSERT ON channels_app_channelancestor
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION contents_ancestor_added()
-- end
CREATE OR REPLACE TRIGGER contents_ancestor_removed AFTER DELETE ON channels_app_channelancestor
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION contents_ancestor_removed()
-- end
CREATE OR REPLACE TRIGGER contents_count_listed AFTER INSERT ON contents_listedcontent
REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION contents_count_listed()
-- end
CREATE OR REPLACE TRIGGER contents_count_unlisted AFTER DELETE ON contents_listedcontent
REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION contents_count_unlisted()
-- end

-- Earlier releases counted the contents of a channel itself together with those below it.
DELETE FROM contents_listedcount
WHERE kind = 0 AND NOT EXISTS (SELECT 1 FROM contents_listedcount WHERE flags >= 32)
-- end
INSERT INTO contents_listedcount (kind, owner_id, flags, slot, contents)
SELECT kind, owner_id, /*flags*/, 0, COUNT(*) FROM contents_listedcontent
WHERE kind = 0 AND NOT EXISTS (SELECT 1 FROM contents_listedcount WHERE kind = 0) GROUP BY 1, 2, 3
-- end
