-- Keeps channels_app_channelancestor (each channel with itself and every channel above it) and
-- channels_app_treeversion (a number that differs after every change of a site's tree or settings).
-- Changes of one site's tree follow one another, and wait for contents being written to the site
-- (contents/sql takes the same lock shared), so that nobody acts on ancestors of a moment ago.

CREATE OR REPLACE FUNCTION channels_app_channel_added() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7341, (NEW.site_id % 2147483647)::int);
    INSERT INTO channels_app_channelancestor (channel_id, ancestor_id)
    SELECT NEW.id, ancestor_id FROM channels_app_channelancestor WHERE channel_id = NEW.parent_id
    UNION ALL SELECT NEW.id, NEW.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION channels_app_channel_moved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7341, (NEW.site_id % 2147483647)::int);
    DELETE FROM channels_app_channelancestor
    WHERE channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = NEW.id)
      AND ancestor_id IN (SELECT ancestor_id FROM channels_app_channelancestor
                          WHERE channel_id = NEW.id AND ancestor_id <> NEW.id);
    INSERT INTO channels_app_channelancestor (channel_id, ancestor_id)
    SELECT below.channel_id, above.ancestor_id
    FROM channels_app_channelancestor below, channels_app_channelancestor above
    WHERE below.ancestor_id = NEW.id AND above.channel_id = NEW.parent_id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION channels_app_channel_removed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(7341, (OLD.site_id % 2147483647)::int);
    DELETE FROM channels_app_channelancestor WHERE channel_id = OLD.id OR ancestor_id = OLD.id;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER channels_app_channel_added AFTER INSERT ON channels_app_channel
FOR EACH ROW EXECUTE FUNCTION channels_app_channel_added()
-- end

CREATE OR REPLACE TRIGGER channels_app_channel_moved AFTER UPDATE OF parent_id ON channels_app_channel
FOR EACH ROW WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id)
EXECUTE FUNCTION channels_app_channel_moved()
-- end

CREATE OR REPLACE TRIGGER channels_app_channel_removed AFTER DELETE ON channels_app_channel
FOR EACH ROW EXECUTE FUNCTION channels_app_channel_removed()
-- end

CREATE OR REPLACE FUNCTION channels_app_new_version(sites bigint[]) RETURNS void LANGUAGE sql AS $$
    UPDATE channels_app_treeversion SET number = (random() * 9007199254740991)::bigint
    WHERE site_id = ANY (sites)
$$
-- end

CREATE OR REPLACE FUNCTION channels_app_tree_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM channels_app_new_version(ARRAY(SELECT DISTINCT site_id FROM changed ORDER BY 1));
    RETURN NULL;
END $$
-- end

-- A channel may have left one site for another.
CREATE OR REPLACE FUNCTION channels_app_trees_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM channels_app_new_version(ARRAY(SELECT site_id FROM gone UNION SELECT site_id FROM changed ORDER BY 1));
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE FUNCTION channels_app_site_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO channels_app_treeversion (site_id, number)
        VALUES (NEW.id, (random() * 9007199254740991)::bigint) ON CONFLICT DO NOTHING;
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM channels_app_new_version(ARRAY[NEW.id]);
    ELSE
        DELETE FROM channels_app_treeversion WHERE site_id = OLD.id;
    END IF;
    RETURN NULL;
END $$
-- end

CREATE OR REPLACE TRIGGER channels_app_tree_added AFTER INSERT ON channels_app_channel
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end
CREATE OR REPLACE TRIGGER channels_app_tree_changed AFTER UPDATE ON channels_app_channel
REFERENCING OLD TABLE AS gone NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_trees_changed()
-- end
CREATE OR REPLACE TRIGGER channels_app_tree_removed AFTER DELETE ON channels_app_channel
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION channels_app_tree_changed()
-- end
CREATE OR REPLACE TRIGGER channels_app_site_added AFTER INSERT OR DELETE ON cms_sites_site
FOR EACH ROW EXECUTE FUNCTION channels_app_site_changed()
-- end
CREATE OR REPLACE TRIGGER channels_app_site_changed AFTER UPDATE ON cms_sites_site
FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION channels_app_site_changed()
-- end
