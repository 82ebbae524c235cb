"""Statements as integrators write them, in the four dialects, with what they answer in the world of `world.py`.

Unless a case says otherwise, a key for every site and a key for site 1 alone get the same rows.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Case:
    """A statement and its rows: the members of each, in order, and their values."""

    statement: str
    members: str
    rows: tuple[tuple, ...]
    every_site: bool = False  # only a key for every site sees these rows

    @property
    def expected(self):
        """The rows as JSON objects."""
        return [dict(zip(self.members.split(), row, strict=True)) for row in self.rows]


def case(statement, members, *rows, every_site=False):
    """A case; a row of one value may be the value alone."""
    listed = tuple(row if isinstance(row, tuple) else (row,) for row in rows)
    return Case(statement, members, listed, every_site)


PLAIN = [
    case("SELECT Id FROM siteserver_Site WHERE SiteName = 'Harbour 港口'", "id", 1),
    case("SELECT Id, SiteName, SiteDir, TableName, IsRoot, ParentId, Taxis FROM siteserver_Site WHERE Id = 1",
         "id siteName siteDir tableName isRoot parentId taxis",
         (1, "Harbour 港口", "harbour", "siteserver_Content_1", "True", 0, 1)),
    case("SELECT id, isRoot, parentId FROM siteserver_Site ORDER BY taxis", "id isRoot parentId",
         (1, "True", 0), (880001, "False", 1), (890001, "False", 0), every_site=True),
    case("SELECT COUNT(*) AS n FROM siteserver_Content", "n", 10, every_site=True),
    case("SELECT COUNT(*) AS n FROM siteserver_Content WHERE SiteId = 1", "n", 7),
    case("SELECT COUNT(*) AS n FROM model_Content", "n", 3, every_site=True),
    case("select title from SITESERVER_CONTENT_1 where ID = 101", "title", "Harbour opens"),
    case("SELECT Id, ChannelName, IndexName, ParentId, ParentsPath, ParentsCount FROM siteserver_Channel "
         "WHERE SiteId = 1 ORDER BY Taxis", "id channelName indexName parentId parentsPath parentsCount",
         (1, "Harbour 港口", "home1", 0, "", 0), (11, "News", "news", 1, "1", 1),
         (12, "Events", "events", 11, "1,11", 2), (13, "关于我们", "about", 1, "1", 1)),
    case("SELECT ChannelName FROM siteserver_Channel WHERE ',' + ParentsPath + ',' LIKE '%,11,%'",
         "channelName", "Events"),
    case("SELECT Title FROM siteserver_Content_1 WHERE ChannelId = 11 AND IsChecked = 'True' ORDER BY Taxis DESC",
         "title", "夏日音乐会", "Second boat", "Harbour opens"),
    case("SELECT Title FROM siteserver_Content_1 WHERE IsChecked = 'False'", "title", "Draft: O'Neil's 100% plan"),
    case("SELECT Id FROM siteserver_Content_1 WHERE IsTop = 'true' OR IsHot = 'TRUE' ORDER BY Id", "id", 101, 103),
    case("SELECT Id FROM siteserver_Content_1 WHERE IsTop = 1 OR IsHot = TRUE ORDER BY Id", "id", 101, 103),
    case("SELECT Id, IsTop, IsRecommend, IsHot, IsColor FROM siteserver_Content_1 WHERE Id IN (102, 106) ORDER BY Id",
         "id isTop isRecommend isHot isColor",
         (102, "False", "True", "False", "False"), (106, "False", "False", "False", "True")),
    case("SELECT Title FROM siteserver_Content_1 WHERE Title = 'Draft: O''Neil''s 100% plan'", "title",
         "Draft: O'Neil's 100% plan"),
    case("SELECT Id FROM siteserver_Content_1 WHERE Title LIKE 'harbour%' ORDER BY Id", "id", 101, 106),
    case("SELECT Id FROM siteserver_Content_1 WHERE Title LIKE '%o_t%' ORDER BY Id", "id", 102, 107),
    case("SELECT Id FROM siteserver_Content_1 WHERE Title LIKE '%100!%%' ESCAPE '!'", "id", 104),
    case("SELECT Id FROM siteserver_Content_1 WHERE Title LIKE '%\\_2020' ESCAPE '\\'", "id", 105),
    case("SELECT Id FROM siteserver_Content_1 WHERE Title NOT LIKE N'%日%' AND Hits > 10 ORDER BY Id", "id",
         102, 105, 107),
    case("SELECT Title FROM siteserver_Content_1 WHERE Title LIKE '%音乐%'", "title", "夏日音乐会"),
    case("SELECT Id FROM siteserver_Content_1 WHERE Hits BETWEEN 5 AND 25 ORDER BY Hits DESC, Id", "id",
         102, 105, 101, 103),
    case("SELECT Id FROM siteserver_Content_1 WHERE Id = '101' OR ChannelId IN ('12', '13') ORDER BY Id", "id",
         101, 105, 106, 107),
    case("SELECT Id FROM siteserver_Content_1 WHERE LastHitsDate IS NOT NULL", "id", 101),
    case("SELECT COUNT(*) AS n FROM siteserver_Content_1 WHERE LastHitsDate IS NULL", "n", 6),
    case("SELECT Id, LastHitsDate FROM siteserver_Content_1 WHERE Id IN (101, 102) ORDER BY Id", "id lastHitsDate",
         (101, "2020-06-01 00:00:00"), (102, None)),
    case("SELECT DISTINCT Author FROM siteserver_Content_1 WHERE Author <> '' ORDER BY Author", "author",
         "Han Meimei", "Li Lei", "Zhou"),
    case("SELECT Title FROM siteserver_Content_1 ORDER BY Title", "title", "About us", "Draft: O'Neil's 100% plan",
         "Harbour opens", "Regatta_2020", "Second boat", "harbour closes", "夏日音乐会"),
    case("SELECT c.Content FROM siteserver_Content_1 c WHERE c.Id = 105", "content", "<p>Body of 105</p>"),
    case("SELECT Id FROM siteserver_Content_1 WHERE Content LIKE '%body of 10_%' AND NOT (Hits >= 10) ORDER BY 1",
         "id", 103, 104, 106),
    case("SELECT GroupNameCollection, Tags FROM siteserver_Content_1 WHERE Id = 101", "groupNameCollection tags",
         ("Featured", "ship,harbour")),
    case("SELECT Id FROM siteserver_Content_1 WHERE ',' + Tags + ',' LIKE '%,harbour,%' ORDER BY Id", "id", 101, 106),
    case("SELECT LinkUrl, ImageUrl, SubTitle FROM siteserver_Content_1 WHERE Id = 105",
         "linkUrl imageUrl subTitle", ("https://example.org/regatta", "@/upload/regatta.jpg", "")),
    case("SELECT AddUserName, CheckedLevel, SourceId, ReferenceId FROM siteserver_Content_1 WHERE Id = 104",
         "addUserName checkedLevel sourceId referenceId", ("editor", 0, 0, 0)),
    case("SELECT 1 AS one, 'two' AS two, NULL AS three, 4.5 AS four", "one two three four", (1, "two", None, 4.5)),
    case("SELECT Title FROM siteserver_Content_1 WHERE 1 = 0", "title"),
    case("SELECT Title FROM siteserver_Content_1 WHERE Id = 107;", "title", "About us"),
    case("-- the page\nSELECT Title /* of it */ FROM siteserver_Content_1 -- here\nWHERE Id = 107", "title",
         "About us"),
]  # fmt: skip

T_SQL = [
    case("SELECT TOP 2 Id FROM siteserver_Content_1 ORDER BY Hits DESC, Id", "id", 107, 102),
    case("SELECT TOP (2) [Id], [Title] FROM [dbo].[siteserver_Content_1] ORDER BY [AddDate]", "id title",
         (107, "About us"), (101, "Harbour opens")),
    case("SELECT [c].[Title] AS [文章标题] FROM [siteserver_Content_1] AS [c] WHERE [c].[Id] = 101",
         "文章标题", "Harbour opens"),
    case("SELECT DATEDIFF(week, '2026-11-14', '2026-11-15') AS a, DATEDIFF(week, '2026-01-01', '2026-01-12') AS b, "
         "Hits + '1' AS c, ADDDATE(AddDate, 2) AS d FROM siteserver_Content_1 WHERE Id = 101", "a b c d",
         (1, 2, 11, "2020-01-07 10:00:00")),
    case("SELECT 5 AS x, COUNT(*) AS n FROM siteserver_Content_1 GROUP BY 1", "x n", (5, 7)),
    case("SELECT 2 AS kind, ChannelId, COUNT(*) AS n FROM siteserver_Content_1 GROUP BY 1, 2 ORDER BY 2",
         "kind channelId n", (2, 11, 4), (2, 12, 2), (2, 13, 1)),
    case("SELECT COUNT(*) AS n FROM (SELECT TOP 3 Id, Content FROM siteserver_Content_1 ORDER BY NEWID()) t", "n", 3),
    case("SELECT COUNT(*) AS n FROM (SELECT Id FROM siteserver_Content_1 ORDER BY RAND() LIMIT 2) t", "n", 2),
    case("SELECT Id FROM siteserver_Content_1 WITH (NOLOCK) WHERE Title LIKE '%100[%]%'", "id", 104),
    case("SELECT t.Id FROM siteserver_Content_1 AS t WITH (nolock) JOIN siteserver_Channel c WITH (NOLOCK) "
         "ON c.Id = t.ChannelId WHERE t.Title LIKE '[[]H]arbour%' OR t.Title LIKE 'Regatta[_]%'", "id", 105),
    case("SELECT Id FROM dbo.siteserver_Content_1 WHERE Title = N'夏日音乐会'", "id", 103),
    case("SELECT LEN(Title) AS n FROM siteserver_Content_1 WHERE Id IN (101, 103) ORDER BY Id", "n", 13, 5),
    case("SELECT ISNULL(LastHitsDate, AddDate) AS seen FROM siteserver_Content_1 WHERE Id IN (101, 102) ORDER BY Id",
         "seen", "2020-06-01 00:00:00", "2020-02-10 09:30:00"),
    case("SELECT IIF(Hits > 20, 'many', 'few') AS much FROM siteserver_Content_1 WHERE Id IN (101, 102) ORDER BY Id",
         "much", "few", "many"),
    case("SELECT Author + ': ' + Title AS line FROM siteserver_Content_1 WHERE Id = 102", "line",
         "Han Meimei: Second boat"),
    case("SELECT Title + ' (' + CAST(Hits AS varchar(10)) + ')' AS line FROM siteserver_Content_1 WHERE Id = 101",
         "line", "Harbour opens (10)"),
    case("SELECT '[' + LTRIM(RTRIM(Summary)) + ']' AS s FROM siteserver_Content_1 WHERE Id = 107", "s", "[padded]"),
    case("SELECT CONVERT(varchar(10), AddDate, 120) AS d FROM siteserver_Content_1 WHERE Id = 103", "d", "2020-03-15"),
    case("SELECT CONVERT(varchar(19), AddDate, 120) AS d FROM siteserver_Content_1 WHERE Id = 103", "d",
         "2020-03-15 20:15:30"),
    case("SELECT CONVERT(varchar(10), AddDate, 23) AS d FROM siteserver_Content_1 WHERE Id = 103", "d", "2020-03-15"),
    case("SELECT YEAR(AddDate) AS y, MONTH(AddDate) AS m, DAY(AddDate) AS d FROM siteserver_Content_1 WHERE Id = 106",
         "y m d", (2021, 1, 31)),
    case("SELECT YEAR(AddDate) AS y, COUNT(*) AS n FROM siteserver_Content_1 GROUP BY YEAR(AddDate) ORDER BY y",
         "y n", (2019, 1), (2020, 5), (2021, 1)),
    case("SELECT DATEPART(hour, AddDate) AS h, DATEPART(minute, AddDate) AS m FROM siteserver_Content_1 "
         "WHERE Id = 102", "h m", (9, 30)),
    case("SELECT DATEADD(day, 30, AddDate) AS later FROM siteserver_Content_1 WHERE Id = 101", "later",
         "2020-02-04 10:00:00"),
    case("SELECT DATEADD(month, 1, AddDate) AS later FROM siteserver_Content_1 WHERE Id = 106", "later",
         "2021-02-28 23:59:59"),
    case("SELECT DATEDIFF(day, '2020-01-01', AddDate) AS days FROM siteserver_Content_1 WHERE Id = 102", "days", 40),
    case("SELECT DATEDIFF(year, AddDate, '2021-01-01') AS years FROM siteserver_Content_1 WHERE Id = 107", "years", 2),
    case("SELECT COUNT(*) AS n FROM siteserver_Content_1 WHERE AddDate < GETDATE()", "n", 7),
    case("SELECT COUNT(*) AS n FROM siteserver_Content_1 WHERE AddDate > DATEADD(day, -7, GETDATE())", "n", 0),
    case("SELECT Id FROM siteserver_Content_1 WHERE AddDate >= '2020-02-01' AND AddDate < '2020-04-01' ORDER BY Id",
         "id", 102, 103),
    case("SELECT Id FROM siteserver_Content_1 WHERE AddDate = '2020-01-05 10:00:00'", "id", 101),
    case("SELECT CHARINDEX('boat', Title) AS at FROM siteserver_Content_1 WHERE Id IN (101, 102) ORDER BY Id", "at",
         0, 8),
    case("SELECT SUBSTRING(Title, 1, 7) AS s, LEFT(Title, 3) AS l, RIGHT(Title, 5) AS r FROM siteserver_Content_1 "
         "WHERE Id = 101", "s l r", ("Harbour", "Har", "opens")),
    case("SELECT REPLACE(Title, 'Harbour', 'Port') AS t, UPPER(Author) AS u, LOWER(Author) AS w "
         "FROM siteserver_Content_1 WHERE Id = 101", "t u w", ("Port opens", "LI LEI", "li lei")),
    case("SELECT Id FROM siteserver_Content_1 ORDER BY Id OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY", "id", 103, 104, 105),
    case("SELECT Id, ROW_NUMBER() OVER (ORDER BY AddDate DESC) AS rownumber FROM siteserver_Content_1 "
         "WHERE ChannelId = 12 ORDER BY rownumber", "id rownumber", (106, 1), (105, 2)),
    case("SELECT * FROM (SELECT ROW_NUMBER() OVER (ORDER BY Id) AS n, Id, Title FROM siteserver_Content_1) AS t "
         "WHERE t.n BETWEEN 3 AND 4 ORDER BY n", "n id title", (3, 103, "夏日音乐会"),
         (4, 104, "Draft: O'Neil's 100% plan")),
    case("SELECT JSON_VALUE(SettingsXml, '$.noticeType') AS kind FROM siteserver_Content_1 WHERE Id IN (101, 103) "
         "ORDER BY Id", "kind", "gold", None),
    case("SELECT Id FROM siteserver_Content_1 WHERE JSON_VALUE(CONVERT(VARCHAR(MAX), SettingsXml), "
         "N'lax $.noticeType') = 'silver'", "id", 102),
    case("SELECT Id, CAST(JSON_VALUE(SettingsXml, '$.price') AS float) AS price FROM siteserver_Content_1 "
         "WHERE JSON_VALUE(SettingsXml, '$.price') IS NOT NULL ORDER BY price", "id price", (102, 8.0), (101, 12.5)),
    case("WITH latest AS (SELECT TOP 3 Id, Title, AddDate FROM siteserver_Content_1 ORDER BY AddDate DESC) "
         "SELECT Id FROM latest ORDER BY Id", "id", 104, 105, 106),
    case("SELECT s.SiteName, COUNT(c.Id) AS n FROM siteserver_Site s INNER JOIN siteserver_Content c "
         "ON c.SiteId = s.Id WHERE s.Id = 1 GROUP BY s.SiteName", "siteName n", ("Harbour 港口", 7)),
    case("SELECT CASE Author WHEN 'Zhou' THEN 1 WHEN '' THEN 2 ELSE 3 END AS k, COUNT(*) AS n FROM "
         "siteserver_Content_1 GROUP BY CASE Author WHEN 'Zhou' THEN 1 WHEN '' THEN 2 ELSE 3 END ORDER BY 1",
         "k n", (1, 1), (2, 2), (3, 4)),
    case("SELECT Id FROM siteserver_Content_1 WHERE ISNULL(SubTitle, '') <> ''", "id", 101),
    case("SELECT RANK() OVER (ORDER BY Hits DESC) AS r, DENSE_RANK() OVER (ORDER BY Hits DESC) AS d, Id FROM "
         "siteserver_Content_1 WHERE Hits >= 10 ORDER BY Id", "r d id", (4, 3, 101), (2, 2, 102), (2, 2, 105),
         (1, 1, 107)),
    case("SELECT SUM(Hits) OVER (PARTITION BY ChannelId ORDER BY Id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) "
         "AS running, Id FROM siteserver_Content_1 WHERE ChannelId = 11 ORDER BY Id", "running id",
         (10, 101), (35, 102), (42, 103), (42, 104)),
]  # fmt: skip

MYSQL = [
    case("SELECT `Id`, `Title` FROM `siteserver_Content_1` ORDER BY `Id` LIMIT 2", "id title",
         (101, "Harbour opens"), (102, "Second boat")),
    case("SELECT `Id` FROM `siteserver_Content_1` ORDER BY `Id` LIMIT 2, 3", "id", 103, 104, 105),
    case("SELECT `c`.`Id` FROM `siteserver_Content_1` AS `c` WHERE `c`.`Title` = 'Draft: O\\'Neil\\'s 100% plan'",
         "id", 104),
    case("SELECT `Id` FROM `siteserver_Content_1` WHERE `Author` = \"Zhou\"", "id", 105),
    case("SELECT CONCAT(`Author`, ' - ', `Title`) AS line FROM `siteserver_Content_1` WHERE `Id` = 105", "line",
         "Zhou - Regatta_2020"),
    case("SELECT IFNULL(NULL, `Hits`) AS h FROM `siteserver_Content_1` WHERE `Id` = 103", "h", 7),
    case("SELECT IF(`Hits` > 20, 1, 0) AS popular FROM `siteserver_Content_1` WHERE `Id` IN (101, 105) ORDER BY `Id`",
         "popular", 0, 1),
    case("SELECT DATE_FORMAT(`AddDate`, '%Y-%m') AS month, COUNT(*) AS n FROM `siteserver_Content_1` "
         "WHERE `ChannelId` = 11 GROUP BY DATE_FORMAT(`AddDate`, '%Y-%m') ORDER BY month", "month n",
         ("2020-01", 1), ("2020-02", 1), ("2020-03", 1), ("2020-04", 1)),
    case("SELECT DATE_FORMAT(`AddDate`, '%Y/%m/%d %H:%i:%s') AS d FROM `siteserver_Content_1` WHERE `Id` = 103", "d",
         "2020/03/15 20:15:30"),
    case("SELECT `Id` FROM `siteserver_Content_1` WHERE `AddDate` <= NOW() AND `AddDate` > '2021-01-01'", "id", 106),
    case("SELECT DATE_ADD(`AddDate`, INTERVAL 1 DAY) AS d FROM `siteserver_Content_1` WHERE `Id` = 106", "d",
         "2021-02-01 23:59:59"),
    case("SELECT DATEDIFF(`AddDate`, '2020-01-01') AS days FROM `siteserver_Content_1` WHERE `Id` = 102", "days", 40),
    case("SELECT CHAR_LENGTH(`Title`) AS n FROM `siteserver_Content_1` WHERE `Id` = 103", "n", 5),
    case("SELECT LOCATE('boat', `Title`) AS a, INSTR(`Title`, 'boat') AS b FROM `siteserver_Content_1` "
         "WHERE `Id` = 102", "a b", (8, 8)),
    case("SELECT SUBSTR(`Title`, 9) AS s, TRIM(`Summary`) AS t FROM `siteserver_Content_1` WHERE `Id` IN (107) ", "s t",
         ("", "padded")),
    case("SELECT JSON_UNQUOTE(JSON_EXTRACT(`SettingsXml`, '$.noticeType')) AS k FROM `siteserver_Content_1` "
         "WHERE `Id` = 101", "k", "gold"),
    case("SELECT `SettingsXml`->>'$.price' AS p FROM `siteserver_Content_1` WHERE `Id` = 102", "p", "8.00"),
    case("SELECT `s`.`SiteName`, `c`.`ChannelName` FROM `siteserver_Site` `s` LEFT JOIN `siteserver_Channel` `c` "
         "ON `c`.`SiteId` = `s`.`Id` AND `c`.`IndexName` = 'news' WHERE `s`.`Id` = 1", "siteName channelName",
         ("Harbour 港口", "News")),
    case("SELECT `ChannelId`, MAX(`Hits`) AS top, MIN(`Hits`) AS low FROM `siteserver_Content_1` GROUP BY `ChannelId` "
         "HAVING COUNT(*) > 1 ORDER BY `ChannelId`", "channelId top low", (11, 25, 0), (12, 25, 3)),
    case("SELECT `Id` FROM `siteserver_Content_1` WHERE `Hits` != 25 AND `IsTop` = 'False' AND `IsHot` <> 'True' "
         "ORDER BY `Hits`", "id", 104, 106, 107),
]  # fmt: skip

SQLITE = [
    case("SELECT Title || ' #' || Id AS line FROM siteserver_Content_1 WHERE Id = 106", "line", "harbour closes #106"),
    case("SELECT strftime('%Y-%m', AddDate) AS month FROM siteserver_Content_1 WHERE Id = 103", "month", "2020-03"),
    case("SELECT substr(Title, 1, 2) AS s, length(Title) AS n FROM siteserver_Content_1 WHERE Id = 103", "s n",
         ("夏日", 5)),
    case("SELECT json_extract(SettingsXml, '$.applyFromTime') AS d FROM siteserver_Content_1 WHERE Id = 102", "d",
         "2020-02-01"),
    case("SELECT ifnull(SubTitle, '-') AS s, instr(Title, 'o') AS o FROM siteserver_Content_1 WHERE Id = 101", "s o",
         ("At last", 5)),
    case("SELECT Id FROM siteserver_Content_1 WHERE Title LIKE '%OPENS' LIMIT 5 OFFSET 0", "id", 101),
    case("SELECT Id FROM siteserver_Content_1 WHERE Hits % 10 = 5 ORDER BY Id", "id", 102, 105),
    case("SELECT Hits / 10 AS tens, Hits * 2 AS twice, Hits - 1 AS less, -Hits AS negative FROM siteserver_Content_1 "
         "WHERE Id = 102", "tens twice less negative", (2, 50, 24, -25)),
    case("SELECT Hits / 0 AS a, Hits % 0 AS b FROM siteserver_Content_1 WHERE Id = 101", "a b", (None, None)),
    case("SELECT round(Hits * 1.0 / 3, 2) AS third, abs(-Hits) AS a FROM siteserver_Content_1 WHERE Id = 101",
         "third a", (3.33, 10)),
    case("SELECT max(Hits) AS m, sum(Hits) AS s, avg(Hits * 1.0) AS a, count(DISTINCT Author) AS c FROM "
         "siteserver_Content_1 WHERE ChannelId = 12", "m s a c", (25, 28, 14.0, 2)),
]  # fmt: skip

POSTGRESQL = [
    case('SELECT "Id", "Title" FROM "siteserver_Content_1" WHERE "Id" = 107', "id title", (107, "About us")),
    case("SELECT Id FROM siteserver_Content_1 WHERE Title ILIKE '%HARBOUR%' ORDER BY Id", "id", 101, 106),
    case("SELECT Hits::text AS h, '42'::int + 1 AS n FROM siteserver_Content_1 WHERE Id = 102", "h n", ("25", 43)),
    case("SELECT CAST('2020-01-31' AS date) AS d, CAST('7' AS integer) AS i", "d i", ("2020-01-31 00:00:00", 7)),
    case("SELECT to_char(AddDate, 'YYYY-MM-DD') AS d FROM siteserver_Content_1 WHERE Id = 103", "d", "2020-03-15"),
    case("SELECT EXTRACT(YEAR FROM AddDate) AS y FROM siteserver_Content_1 WHERE Id = 107", "y", 2019),
    case("SELECT COALESCE(LastHitsDate, AddDate) AS d FROM siteserver_Content_1 WHERE Id = 105", "d",
         "2020-05-20 12:00:00"),
    case("SELECT NULLIF(Author, '') AS a FROM siteserver_Content_1 WHERE Id IN (105, 107) ORDER BY Id", "a",
         "Zhou", None),
    case("SELECT POSITION('boat' IN Title) AS p, char_length(Title) AS n FROM siteserver_Content_1 WHERE Id = 102",
         "p n", (8, 11)),
    case("SELECT SUBSTRING(Title FROM 1 FOR 6) AS s FROM siteserver_Content_1 WHERE Id = 102", "s", "Second"),
    case("SELECT GREATEST(Hits, 20) AS g, LEAST(Hits, 20) AS l FROM siteserver_Content_1 WHERE Id IN (101, 102) "
         "ORDER BY Id", "g l", (20, 10), (25, 20)),
    case("SELECT FLOOR(Hits * 0.3) AS f, CEILING(Hits * 0.3) AS c FROM siteserver_Content_1 WHERE Id = 102", "f c",
         (7, 8)),
    case("SELECT Id FROM siteserver_Content_1 ORDER BY Id FETCH FIRST 2 ROWS ONLY", "id", 101, 102),
    case("SELECT Id FROM siteserver_Content_1 ORDER BY Hits DESC, Id ASC LIMIT 3 OFFSET 1", "id", 102, 105, 101),
]  # fmt: skip

SEVERAL = [
    case("SELECT c.Title, h.ChannelName FROM siteserver_Content c JOIN siteserver_Channel h ON h.Id = c.ChannelId "
         "WHERE h.SiteId = 1 AND h.IndexName = 'events' ORDER BY c.Id", "title channelName",
         ("Regatta_2020", "Events"), ("harbour closes", "Events")),
    case("SELECT c.Title FROM siteserver_Content c, siteserver_Channel h WHERE c.ChannelId = h.Id AND "
         "h.ChannelName = '关于我们'", "title", "About us"),
    case("SELECT h.ChannelName, COUNT(c.Id) AS n FROM siteserver_Channel h LEFT JOIN siteserver_Content_1 c ON "
         "c.ChannelId = h.Id WHERE h.SiteId = 1 GROUP BY h.Id, h.ChannelName ORDER BY n DESC, h.Id",
         "channelName n", ("News", 4), ("Events", 2), ("关于我们", 1), ("Harbour 港口", 0)),
    case("SELECT p.ChannelName AS parent, h.ChannelName AS child FROM siteserver_Channel h JOIN siteserver_Channel p "
         "ON p.Id = h.ParentId WHERE h.Id = 12", "parent child", ("News", "Events")),
    case("SELECT Title FROM siteserver_Content_1 WHERE ChannelId IN (SELECT Id FROM siteserver_Channel WHERE "
         "ParentId = 11) ORDER BY Id", "title", "Regatta_2020", "harbour closes"),
    case("SELECT ChannelName FROM siteserver_Channel h WHERE h.SiteId = 1 AND NOT EXISTS (SELECT 1 FROM "
         "siteserver_Content_1 c WHERE c.ChannelId = h.Id)", "channelName", "Harbour 港口"),
    case("SELECT ChannelName FROM siteserver_Channel h WHERE EXISTS (SELECT * FROM siteserver_Content_1 c WHERE "
         "c.ChannelId = h.Id AND c.Hits > 50)", "channelName", "关于我们"),
    case("SELECT Title FROM siteserver_Content_1 WHERE Hits = (SELECT MAX(Hits) FROM siteserver_Content_1)", "title",
         "About us"),
    case("SELECT h.ChannelName, (SELECT COUNT(*) FROM siteserver_Content_1 c WHERE c.ChannelId = h.Id) AS n FROM "
         "siteserver_Channel h WHERE h.ParentId = 1 ORDER BY h.Taxis", "channelName n", ("News", 4), ("关于我们", 1)),
    case("SELECT Id FROM siteserver_Content_1 WHERE ChannelId = 12 UNION SELECT Id FROM siteserver_Content_1 WHERE "
         "Hits = 25 ORDER BY Id", "id", 102, 105, 106),
    case("SELECT Title AS name FROM siteserver_Content_1 WHERE Id = 101 UNION ALL SELECT ChannelName FROM "
         "siteserver_Channel WHERE Id = 12 ORDER BY name", "name", "Events", "Harbour opens"),
    case("SELECT Id FROM siteserver_Content_1 WHERE ChannelId = 11 EXCEPT SELECT Id FROM siteserver_Content_1 WHERE "
         "IsChecked = 'True'", "id", 104),
    case("SELECT Author FROM siteserver_Content_1 WHERE ChannelId = 11 INTERSECT SELECT Author FROM "
         "siteserver_Content_1 WHERE ChannelId = 12", "author", "Li Lei"),
    case("WITH n AS (SELECT ChannelId, COUNT(*) AS total FROM siteserver_Content_1 GROUP BY ChannelId) SELECT "
         "h.ChannelName, n.total FROM n JOIN siteserver_Channel h ON h.Id = n.ChannelId WHERE n.total > 1 "
         "ORDER BY n.total DESC", "channelName total", ("News", 4), ("Events", 2)),
    case("WITH a AS (SELECT Id, Hits FROM siteserver_Content_1), b AS (SELECT Id FROM a WHERE Hits > 20) SELECT "
         "COUNT(*) AS n FROM b", "n", 3),
    case("SELECT t.ChannelId, t.Title FROM (SELECT ChannelId, Title, ROW_NUMBER() OVER (PARTITION BY ChannelId ORDER "
         "BY AddDate DESC) AS n FROM siteserver_Content_1 WHERE IsChecked = 'True') t WHERE t.n = 1 ORDER BY "
         "t.ChannelId", "channelId title", (11, "夏日音乐会"), (12, "harbour closes"), (13, "About us")),
    case("SELECT Id, LAG(Id) OVER (ORDER BY AddDate) AS previous, LEAD(Id) OVER (ORDER BY AddDate) AS following FROM "
         "siteserver_Content_1 WHERE ChannelId = 12 ORDER BY Id", "id previous following",
         (105, None, 106), (106, 105, None)),
    case("SELECT ChannelId, SUM(CASE WHEN IsChecked = 'True' THEN 1 ELSE 0 END) AS done FROM siteserver_Content_1 "
         "GROUP BY ChannelId ORDER BY ChannelId", "channelId done", (11, 3), (12, 2), (13, 1)),
    case("SELECT GroupName FROM siteserver_ContentGroup WHERE SiteId = 1 ORDER BY GroupName", "groupName",
         "Featured", "Summer"),
    case("SELECT TagName FROM siteserver_ContentTag WHERE SiteId = 1 ORDER BY TagName", "tagName",
         "harbour", "music", "ship"),
    case("SELECT s.SiteDir, c.Title FROM siteserver_Site AS s RIGHT JOIN siteserver_Content_1 AS c ON s.Id = c.SiteId "
         "WHERE c.Hits > 50", "siteDir title", ("harbour", "About us")),
    case("SELECT (1 + 2) * 3 AS nine, 7 / 2 AS three, 7 % 4 AS rest, 1.5 + 1 AS more", "nine three rest more",
         (9, 3, 3, 2.5)),
]  # fmt: skip

HONEST = [*PLAIN, *T_SQL, *MYSQL, *SQLITE, *POSTGRESQL, *SEVERAL]

# As it was sent to a SiteServer 6.14, with the ids of the world.
PAGING = """
SELECT TOP 12 * FROM (SELECT ROW_NUMBER() OVER(ORDER BY AddDate DESC) AS rownumber, * FROM siteserver_Content_1
WHERE id IN (SELECT id FROM (SELECT id, JSON_VALUE( CONVERT(VARCHAR(MAX), SettingsXml),N'lax $.applyFromTime') AS
applyFromTime, JSON_VALUE( CONVERT(VARCHAR(MAX), SettingsXml),N'lax $.applyToTime') AS applyToTime,
JSON_VALUE( CONVERT(VARCHAR(MAX), SettingsXml),N'lax $.uppriceFromTime') AS uppriceFromTime,
JSON_VALUE( CONVERT(VARCHAR(MAX), SettingsXml),N'lax $.uppriceToTime') AS uppriceToTime,
JSON_VALUE( CONVERT(VARCHAR(MAX), SettingsXml),N'lax $.noticeType') AS noticeType FROM siteserver_Content_1 ) AS tmp
 WHERE SiteId='1' AND ChannelId IN('11','12'))) temp where rownumber > 0 ORDER BY AddDate DESC
"""
