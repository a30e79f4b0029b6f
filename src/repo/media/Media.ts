import type { Effect, Option } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import type { MediaStoreId } from "../../domain/ids.ts"

export interface Media {
  /** The store that holds the files of this database; none before its first file. */
  readonly findStoreId: Effect.Effect<Option.Option<MediaStoreId>, DatabaseUnavailable>
  /** Makes a store that of this database, unless it has one, and returns the one that it has then. */
  readonly claimStoreId: (id: MediaStoreId) => Effect.Effect<MediaStoreId, DatabaseUnavailable>
}
