module.exports = ({ env }) => ({
  connection: {
    client: "postgres",
    connection: { host: env("DB_HOST"), database: env("DB_DATABASE"), user: env("DB_USER") },
    pool: { min: 2, max: 10 },
  },
});
