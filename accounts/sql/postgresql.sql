-- The release before this one stores accounts without their folded names. A guess, which is exact but for some
-- letters, serves until `accounts.folding` replaces it.
CREATE OR REPLACE FUNCTION accounts_guess() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.user_name IS DISTINCT FROM OLD.user_name THEN
        NEW.folded_user_name := left(lower(NEW.user_name), 255);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.display_name IS DISTINCT FROM OLD.display_name THEN
        NEW.folded_display_name := left(lower(NEW.display_name), 255);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.email IS DISTINCT FROM OLD.email THEN
        NEW.folded_email := left(lower(NEW.email), 255);
    END IF;
    IF TG_OP = 'INSERT' OR NEW.mobile IS DISTINCT FROM OLD.mobile THEN
        NEW.folded_mobile := left(lower(NEW.mobile), 255);
    END IF;
    NEW.folding_stamp := NULL;
    RETURN NEW;
END $$
-- end

CREATE OR REPLACE TRIGGER accounts_user_added BEFORE INSERT ON accounts_user
FOR EACH ROW WHEN (NEW.folding_stamp IS NULL) EXECUTE FUNCTION accounts_guess()
-- end
CREATE OR REPLACE TRIGGER accounts_user_renamed BEFORE UPDATE OF user_name, display_name, email, mobile ON accounts_user
FOR EACH ROW WHEN (NEW.folding_stamp IS NOT DISTINCT FROM OLD.folding_stamp AND (
    NEW.user_name <> OLD.user_name OR NEW.display_name <> OLD.display_name OR NEW.email <> OLD.email OR NEW.mobile <> OLD.mobile
)) EXECUTE FUNCTION accounts_guess()
-- end

CREATE OR REPLACE TRIGGER accounts_administrator_added BEFORE INSERT ON accounts_administrator
FOR EACH ROW WHEN (NEW.folding_stamp IS NULL) EXECUTE FUNCTION accounts_guess()
-- end
CREATE OR REPLACE TRIGGER accounts_administrator_renamed BEFORE UPDATE OF user_name, display_name, email, mobile ON accounts_administrator
FOR EACH ROW WHEN (NEW.folding_stamp IS NOT DISTINCT FROM OLD.folding_stamp AND (
    NEW.user_name <> OLD.user_name OR NEW.display_name <> OLD.display_name OR NEW.email <> OLD.email OR NEW.mobile <> OLD.mobile
)) EXECUTE FUNCTION accounts_guess()
-- end
