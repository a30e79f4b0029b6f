import { Schema } from "effect"

/** The backup or restore can't be done; nothing was changed. `message` is one line for the operator. */
export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", { message: Schema.String }) {}
