-- The index stores all words at once, so that a search reads no list of unsorted ones.
CREATE INDEX IF NOT EXISTS search_words ON search_searchentry USING gin (words) WITH (fastupdate = off)
-- end
