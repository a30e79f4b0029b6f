import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The authors of keys, webhooks and authorizations that begin over the API; null if unknown, as from the version
 * before. Also notifies processes of keys that end sooner than they have read.
 */
const statements = [
  `ALTER TABLE api_keys ADD COLUMN created_by_user uuid`,
  `ALTER TABLE webhooks ADD COLUMN created_by_key uuid, ADD COLUMN created_by_user uuid`,
  `ALTER TABLE authorisations ADD COLUMN created_by_key uuid`,

  // A trigger, so that it covers every change of a key, also by the version before.
  `CREATE FUNCTION notify_changed_key() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('changed_keys', encode(OLD.hash, 'hex'));
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER api_keys_changed AFTER UPDATE OF revoked_at, expires_at ON api_keys FOR EACH ROW
    WHEN ((NEW.revoked_at, NEW.expires_at) IS DISTINCT FROM (OLD.revoked_at, OLD.expires_at))
    EXECUTE FUNCTION notify_changed_key()`,
  `CREATE TRIGGER api_keys_deleted AFTER DELETE ON api_keys FOR EACH ROW EXECUTE FUNCTION notify_changed_key()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
