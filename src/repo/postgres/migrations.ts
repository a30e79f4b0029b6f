import { NodeFileSystem, NodePath } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { Migrator } from "effect/sql"
import * as MigratorFileSystem from "effect/sql/MigratorFileSystem"
import { fileURLToPath } from "node:url"

const directory = fileURLToPath(new URL("../../../migrations", import.meta.url))

/** Applies the migrations that the database lacks, one process at a time, and answers which they were. */
export const migrate = Migrator.make({})({
  loader: MigratorFileSystem.fromFileSystem(directory),
  table: "migrations"
}).pipe(Effect.provide(Layer.merge(NodeFileSystem.layer, NodePath.layer)))
