import { Array as Arr, Effect, Schema } from "effect"
import { issuePlaces } from "../domain/issues.ts"

export const readableRows = <A>(schema: Schema.ConstraintDecoder<A>, message: string) => {
  const decode = Schema.decodeUnknownResult(schema)
  return Effect.fnUntraced(function* (rows: ReadonlyArray<unknown>) {
    const [readable, unreadable] = Arr.partition(rows, (row) => decode(row))
    yield* Effect.forEach(unreadable, (error) => Effect.logError(`${message}: ${issuePlaces(error)}`), {
      discard: true
    })
    return readable
  })
}
