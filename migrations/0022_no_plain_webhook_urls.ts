import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * `url` of a webhook is empty if its URL is encrypted. The previous version reads the encrypted URL, but still writes
 * both, and so do backups of it that are restored. The trigger therefore empties `url` for any writer. The former
 * trigger was for versions that write `url` alone.
 */
const statements = [
  `DROP TRIGGER webhooks_forget_sealed_url ON webhooks`,
  `DROP FUNCTION forget_sealed_webhook_url()`,
  `CREATE FUNCTION forget_plain_webhook_url() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    NEW.url := '';
    RETURN NEW;
  END $$`,
  `CREATE TRIGGER webhooks_forget_plain_url BEFORE INSERT OR UPDATE ON webhooks FOR EACH ROW
    WHEN (NEW.sealed_url IS NOT NULL AND NEW.url <> '')
    EXECUTE FUNCTION forget_plain_webhook_url()`,
  `UPDATE webhooks SET url = '' WHERE sealed_url IS NOT NULL`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
