-- Fills Strapi's table from "staged", and adds the indexes that the measured lists need.
INSERT INTO articles (id, document_id, channel_id, title, sub_title, summary, author, source, image_url, tags, body,
    add_date, last_edit_date, add_user_name, last_edit_user_name, is_top, is_recommend, is_hot, is_color, is_checked,
    hits, taxis, created_at, updated_at, published_at)
SELECT id, left(md5(id::text), 24), channel_id, title, sub_title, summary, author, source, image_url, tags, body,
    add_date, last_edit_date, add_user_name, last_edit_user_name, is_top, is_recommend, is_hot, is_color, is_checked,
    hits, taxis, add_date, last_edit_date, add_date
FROM staged;
SELECT setval(pg_get_serial_sequence('articles', 'id'), max(id)) FROM articles;
CREATE INDEX ON articles (channel_id, add_date);
CREATE INDEX ON articles (add_date);
DROP TABLE staged;
