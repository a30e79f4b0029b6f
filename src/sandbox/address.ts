import { Effect, FileSystem, Option } from "effect"

const addressFile = (directory: string) => `${directory}/address`

export const readAddress = Effect.fnUntraced(function* (directory: string) {
  const files = yield* FileSystem.FileSystem
  return yield* Effect.option(files.readFileString(addressFile(directory)))
})

/**
 * Writes the URL, in which commands find the port. When the scope closes, the previous URL is restored, so that a
 * failed start does not hide a running service.
 */
export const writeAddress = Effect.fnUntraced(function* (directory: string, url: string) {
  const files = yield* FileSystem.FileSystem
  const previous = yield* readAddress(directory)
  const write = (address: string) => files.writeFileString(addressFile(directory), address)
  yield* Effect.acquireRelease(Effect.orDie(write(url)), () =>
    Effect.gen(function* () {
      if (Option.contains(yield* readAddress(directory), url)) {
        yield* Option.match(previous, { onNone: () => files.remove(addressFile(directory)), onSome: write })
      }
    }).pipe(Effect.provideService(FileSystem.FileSystem, files), Effect.ignore)
  )
})
