import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Migrator } from "effect/sql"
import * as MigratorFileSystem from "effect/sql/MigratorFileSystem"
import { fileURLToPath } from "node:url"

const directory = fileURLToPath(new URL("../../../migrations", import.meta.url))

/** Applies the pending migrations, one process at a time, and returns them. */
export const migrate = Migrator.make({})({
  loader: MigratorFileSystem.fromFileSystem(directory),
  table: "migrations"
}).pipe(Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))
