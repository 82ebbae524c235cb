-- Fills Wagtail's tables from "staged": a page for each channel below the home page, an article for each content.
INSERT INTO django_content_type (app_label, model) VALUES ('wagtail_site', 'articlepage') ON CONFLICT DO NOTHING;

-- Four digits of base 36, as treebeard numbers the children of a page.
CREATE OR REPLACE FUNCTION step(number bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(substr('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ', (number / power)::int % 36 + 1, 1), '' ORDER BY power DESC)
    FROM unnest(ARRAY[46656, 1296, 36, 1]) AS power
$$;

CREATE TEMPORARY TABLE pages AS
SELECT channel_id + 10 AS id, '00010001' || step(row_number() OVER (ORDER BY channel_id)) AS path, 3 AS depth,
    count(*)::int AS numchild, 'Channel ' || channel_id AS title, 'channel-' || channel_id AS slug, true AS live,
    '/home/channel-' || channel_id || '/' AS url_path, 'page' AS model, now() AS published, channel_id
FROM staged GROUP BY channel_id;
INSERT INTO pages
SELECT 100000 + s.id, c.path || step(row_number() OVER (PARTITION BY s.channel_id ORDER BY s.id)), 4, 0, s.title,
    'article-' || s.id, s.is_checked, c.url_path || 'article-' || s.id || '/', 'articlepage', s.add_date, s.channel_id
FROM staged s JOIN pages c ON c.channel_id = s.channel_id;

INSERT INTO wagtailcore_page (id, path, depth, numchild, title, draft_title, slug, live, has_unpublished_changes, url_path,
    seo_title, show_in_menus, search_description, expired, locked, content_type_id, first_published_at, last_published_at,
    translation_key, locale_id)
SELECT p.id, path, depth, numchild, title, title, slug, live, NOT live, url_path, '', false, '', false, false, t.id,
    published, published, gen_random_uuid(), (SELECT id FROM wagtailcore_locale)
FROM pages p JOIN django_content_type t ON t.model = p.model AND t.app_label IN ('wagtailcore', 'wagtail_site');
INSERT INTO wagtail_site_articlepage
    (page_ptr_id, sub_title, summary, author, source, image_url, tags, body, add_date, last_edit_date, add_user_name,
    last_edit_user_name, is_top, is_recommend, is_hot, is_color, hits, taxis)
SELECT 100000 + id, sub_title, summary, author, source, image_url, tags, body, add_date, last_edit_date, add_user_name,
    last_edit_user_name, is_top, is_recommend, is_hot, is_color, hits, taxis
FROM staged;
UPDATE wagtailcore_page SET numchild = (SELECT count(*) FROM pages WHERE depth = 3) WHERE path = '00010001';
SELECT setval(pg_get_serial_sequence('wagtailcore_page', 'id'), max(id)) FROM wagtailcore_page;
DROP TABLE staged;
