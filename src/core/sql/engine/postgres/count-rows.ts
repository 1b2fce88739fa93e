/**
 * `{count_rows}` of a schema: see sql-text.ts. Each statement adds a row for what it changes, since two that write one row
 * would wait for each other. One in 64 makes one row of those of the same values; it leaves out what another one has locked,
 * so that none waits here either.
 */
export const countRows = ([table, a, b]: [string, string, string]): string => {
  const counts = `${table}_count`;
  const adds = (from: string, sign: string) =>
    `INSERT INTO ${counts} SELECT ${a}, ${b}, ${sign}count(*) FROM ${from} GROUP BY ${a}, ${b};
     IF random() < 1.0 / 64 THEN PERFORM ${counts}_sum(${a}, ${b}) FROM ${from} GROUP BY ${a}, ${b}; END IF; RETURN NULL;`;
  const trigger = (name: string, body: string) =>
    `CREATE FUNCTION ${counts}_${name}() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN ${body} END $body$;`;
  return `
    CREATE TABLE ${counts} (${a} BIGINT NOT NULL, ${b} BIGINT NOT NULL, count BIGINT NOT NULL);
    CREATE INDEX ${counts}_of ON ${counts} (${a}, ${b});
    CREATE FUNCTION ${counts}_sum(bigint, bigint) RETURNS void LANGUAGE sql AS $body$
      WITH free AS MATERIALIZED (SELECT ctid FROM ${counts} WHERE ${a} = $1 AND ${b} = $2 FOR UPDATE SKIP LOCKED),
        summed AS (DELETE FROM ${counts} WHERE ctid = ANY (ARRAY(SELECT ctid FROM free)) RETURNING count)
      INSERT INTO ${counts} SELECT $1, $2, sum(count) FROM summed HAVING sum(count) <> 0
    $body$;
    ${trigger("made", adds("made", ""))}
    ${trigger("gone", adds("gone", "-"))}
    ${trigger(
      "moved",
      `INSERT INTO ${counts} VALUES (OLD.${a}, OLD.${b}, -1), (NEW.${a}, NEW.${b}, 1);
       IF random() < 1.0 / 64 THEN
         PERFORM ${counts}_sum(OLD.${a}, OLD.${b}); PERFORM ${counts}_sum(NEW.${a}, NEW.${b});
       END IF; RETURN NULL;`,
    )}
    CREATE TRIGGER ${counts}_made AFTER INSERT ON ${table} REFERENCING NEW TABLE AS made
      FOR EACH STATEMENT EXECUTE FUNCTION ${counts}_made();
    CREATE TRIGGER ${counts}_gone AFTER DELETE ON ${table} REFERENCING OLD TABLE AS gone
      FOR EACH STATEMENT EXECUTE FUNCTION ${counts}_gone();
    CREATE TRIGGER ${counts}_moved AFTER UPDATE OF ${a}, ${b} ON ${table} FOR EACH ROW
      WHEN (OLD.${a} <> NEW.${a} OR OLD.${b} <> NEW.${b}) EXECUTE FUNCTION ${counts}_moved();
    -- After the triggers, which keep other nodes from writing until they are there: what these write now is counted.
    INSERT INTO ${counts} SELECT ${a}, ${b}, count(*) FROM ${table} GROUP BY ${a}, ${b}`;
};
