import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * URLs of webhooks are encrypted like credentials, because their paths are often secrets. masked_url: the shown part.
 * Both are null if the version before wrote the URL, or until `integration reencrypt` runs. That version reads and
 * writes only `url`, so this version writes it too; the release after drops it. The trigger clears both when that
 * version changes `url`.
 */
const statements = [
  `ALTER TABLE webhooks ADD COLUMN sealed_url bytea, ADD COLUMN masked_url text,
    ADD CONSTRAINT webhooks_masked_while_sealed CHECK ((sealed_url IS NULL) = (masked_url IS NULL))`,
  `CREATE FUNCTION forget_sealed_webhook_url() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.sealed_url := NULL;
    NEW.masked_url := NULL;
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER webhooks_forget_sealed_url BEFORE UPDATE OF url ON webhooks FOR EACH ROW
    WHEN (NEW.url <> OLD.url AND NEW.sealed_url IS NOT DISTINCT FROM OLD.sealed_url)
    EXECUTE FUNCTION forget_sealed_webhook_url()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
