-- Keeps channels_app_channelancestor: each channel with itself and every channel above it.

DROP TRIGGER IF EXISTS channels_app_channel_added
-- end
CREATE TRIGGER channels_app_channel_added AFTER INSERT ON channels_app_channel
BEGIN
    INSERT INTO channels_app_channelancestor (channel_id, ancestor_id)
    SELECT NEW.id, ancestor_id FROM channels_app_channelancestor WHERE channel_id = NEW.parent_id
    UNION ALL SELECT NEW.id, NEW.id;
END
-- end

DROP TRIGGER IF EXISTS channels_app_channel_moved
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

DROP TRIGGER IF EXISTS channels_app_channel_removed
-- end
CREATE TRIGGER channels_app_channel_removed AFTER DELETE ON channels_app_channel
BEGIN
    DELETE FROM channels_app_channelancestor WHERE channel_id = OLD.id OR ancestor_id = OLD.id;
END
-- end
