-- Keeps channels_app_channelancestor (each channel with itself and every channel above it) and
-- channels_app_treeversion (a number that differs after every change of a site's tree or settings).

CREATE TRIGGER channels_app_channel_added AFTER INSERT ON channels_app_channel
BEGIN
    INSERT INTO channels_app_channelancestor (channel_id, ancestor_id)
    SELECT NEW.id, ancestor_id FROM channels_app_channelancestor WHERE channel_id = NEW.parent_id
    UNION ALL SELECT NEW.id, NEW.id;
END
-- end

CREATE TRIGGER channels_app_channel_moved AFTER UPDATE OF parent_id ON channels_app_channel
WHEN OLD.parent_id IS NOT NEW.parent_id
BEGIN
    DELETE FROM channels_app_channelancestor
    WHERE channel_id IN (SELECT channel_id FROM channels_app_channelancestor WHERE ancestor_id = NEW.id)
      AND ancestor_id IN (SELECT ancestor_id FROM channels_app_channelancestor
                          WHERE channel_id = NEW.id AND ancestor_id <> NEW.id);
    INSERT INTO channels_app_channelancestor (channel_id, ancestor_id)
    SELECT below.channel_id, above.ancestor_id
    FROM channels_app_channelancestor below, channels_app_channelancestor above
    WHERE below.ancestor_id = NEW.id AND above.channel_id = NEW.parent_id;
END
-- end

CREATE TRIGGER channels_app_channel_removed AFTER DELETE ON channels_app_channel
BEGIN
    DELETE FROM channels_app_channelancestor WHERE channel_id = OLD.id OR ancestor_id = OLD.id;
END
-- end

CREATE TRIGGER channels_app_tree_added AFTER INSERT ON channels_app_channel
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id = NEW.site_id;
END
-- end

CREATE TRIGGER channels_app_tree_changed AFTER UPDATE ON channels_app_channel
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991)
    WHERE site_id IN (OLD.site_id, NEW.site_id);
END
-- end

CREATE TRIGGER channels_app_tree_removed AFTER DELETE ON channels_app_channel
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id = OLD.site_id;
END
-- end

CREATE TRIGGER channels_app_site_added AFTER INSERT ON cms_sites_site
BEGIN
    INSERT INTO channels_app_treeversion (site_id, number)
    VALUES (NEW.id, abs(random() % 9007199254740991)) ON CONFLICT DO NOTHING;
END
-- end

CREATE TRIGGER channels_app_site_changed AFTER UPDATE ON cms_sites_site
BEGIN
    UPDATE channels_app_treeversion SET number = abs(random() % 9007199254740991) WHERE site_id = NEW.id;
END
-- end

CREATE TRIGGER channels_app_site_removed AFTER DELETE ON cms_sites_site
BEGIN
    DELETE FROM channels_app_treeversion WHERE site_id = OLD.id;
END
-- end
