-- Keeps search_words, the full-text table of search_searchentry, which reads the words from there.

CREATE TRIGGER search_entry_added AFTER INSERT ON search_searchentry
BEGIN
    INSERT INTO search_words (rowid, words) VALUES (NEW.id, NEW.words);
END
-- end

CREATE TRIGGER search_entry_changed AFTER UPDATE ON search_searchentry WHEN OLD.words <> NEW.words
BEGIN
    INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', OLD.id, OLD.words);
    INSERT INTO search_words (rowid, words) VALUES (NEW.id, NEW.words);
END
-- end

CREATE TRIGGER search_entry_removed AFTER DELETE ON search_searchentry
BEGIN
    INSERT INTO search_words (search_words, rowid, words) VALUES ('delete', OLD.id, OLD.words);
END
-- end
