-- Keeps audit_auditentry append-only: nothing is changed, and only what is older than a row of
-- audit_auditretention is deleted, which `manage.py purge audit` writes and takes back in its own transaction.

CREATE OR REPLACE FUNCTION audit_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'Entries of the audit are never changed.' USING ERRCODE = 'restrict_violation';
END $$
-- end

CREATE OR REPLACE FUNCTION audit_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    kept boolean;
BEGIN
    -- The table is named with its schema: a temporary one of its name would come first.
    -- The statement and not the row is asked about when the table is emptied: everything in it has to be old enough.
    IF TG_OP = 'TRUNCATE' THEN
        EXECUTE format('SELECT EXISTS (SELECT 1 FROM %1$I.audit_auditentry entry WHERE NOT EXISTS
                        (SELECT 1 FROM %1$I.audit_auditretention WHERE before > entry.at))', TG_TABLE_SCHEMA) INTO kept;
    ELSE
        EXECUTE format('SELECT NOT EXISTS (SELECT 1 FROM %I.audit_auditretention WHERE before > $1)', TG_TABLE_SCHEMA)
            INTO kept USING OLD.at;
    END IF;
    IF kept THEN
        RAISE EXCEPTION 'Entries of the audit are deleted by "manage.py purge audit" only, when they are old enough.'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END $$
-- end

CREATE OR REPLACE TRIGGER audit_changed BEFORE UPDATE ON audit_auditentry
FOR EACH ROW EXECUTE FUNCTION audit_changed()
-- end
CREATE OR REPLACE TRIGGER audit_deleted BEFORE DELETE ON audit_auditentry
FOR EACH ROW EXECUTE FUNCTION audit_deleted()
-- end
CREATE OR REPLACE TRIGGER audit_truncated BEFORE TRUNCATE ON audit_auditentry
FOR EACH STATEMENT EXECUTE FUNCTION audit_deleted()
-- end

-- At the end of its transaction a permit is gone, or the transaction fails.
CREATE OR REPLACE FUNCTION audit_permit_ends() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stays boolean;
BEGIN
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I.audit_auditretention WHERE id = $1)', TG_TABLE_SCHEMA)
        INTO stays USING NEW.id;
    IF stays THEN
        RAISE EXCEPTION 'A permit to delete entries of the audit ends with its transaction.'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END $$
-- end
DROP TRIGGER IF EXISTS audit_permit_ends ON audit_auditretention
-- end
CREATE CONSTRAINT TRIGGER audit_permit_ends AFTER INSERT OR UPDATE ON audit_auditretention
DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit_permit_ends()
-- end
