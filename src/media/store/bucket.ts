import { Data, Duration, Effect, FileSystem, Option, Redacted, Schema, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { Parser } from "htmlparser2"
import { S3mini, S3ServiceError } from "s3mini"

export interface BucketOptions {
  /** The URL without the bucket. */
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted
  /** True if the bucket is in the path of URLs; otherwise it is in the host. */
  readonly pathStyle: boolean
}

/** `status` is undefined if the service did not answer. */
export class BucketError extends Schema.TaggedError<BucketError>()("BucketError", {
  message: Schema.String,
  status: Schema.UndefinedOr(Schema.Int)
}) {}

export class NoSuchObject extends Data.TaggedError("NoSuchObject") {}

export interface ListedObject {
  readonly key: string
  readonly writtenAt: string
}

/** The timeout of a request, and of each wait for the next bytes of its response. */
const timeout = Duration.seconds(60)

/** Larger files are sent in parts of this size; all but the last need 5 MiB. A gigabyte takes 120 of 10,000 parts. */
const partSize = 8 * 1024 * 1024

const pageSize = 1_000

const tooLate = () => new BucketError({ message: "No answer in time", status: undefined })

const toError = (cause: unknown): BucketError | NoSuchObject => {
  if (!(cause instanceof S3ServiceError)) {
    return new BucketError({ message: cause instanceof Error ? cause.message : "No answer", status: undefined })
  }
  return cause.status === 404 && cause.serviceCode !== "NoSuchBucket"
    ? new NoSuchObject()
    : new BucketError({ message: cause.message, status: cause.status })
}

const bucketUrl = ({ bucket, endpoint, pathStyle }: BucketOptions): string => {
  const url = new URL(endpoint)
  if (pathStyle) url.pathname = `${url.pathname.replace(/\/$/, "")}/${bucket}`
  else url.hostname = `${bucket}.${url.hostname}`
  return url.toString().replace(/\/$/, "")
}

const readPage = (xml: string) => {
  const objects: Array<ListedObject> = []
  let key = ""
  let writtenAt = ""
  let nextToken: string | undefined
  let text = ""
  const parser = new Parser(
    {
      onopentag: () => {
        text = ""
      },
      ontext: (part) => {
        text += part
      },
      onclosetag: (name) => {
        if (name === "Key") key = text
        else if (name === "LastModified") writtenAt = text
        else if (name === "NextContinuationToken") nextToken = text
        else if (name === "Contents") objects.push({ key, writtenAt })
      }
    },
    { xmlMode: true }
  )
  parser.end(xml)
  return { objects, nextToken: Option.fromUndefinedOr(nextToken) }
}

export const makeBucket = Effect.fnUntraced(function* (options: BucketOptions) {
  const send = yield* FetchHttpClient.Fetch

  /** A client per request, so that interrupting the effect aborts the request. */
  const request = <A>(
    use: (client: S3mini) => Promise<A>,
    headers: Readonly<Record<string, string>> = {}
  ): Effect.Effect<A, BucketError | NoSuchObject> =>
    Effect.tryPromise({
      try: (signal) =>
        use(
          new S3mini({
            endpoint: bucketUrl(options),
            region: options.region,
            accessKeyId: options.accessKeyId,
            secretAccessKey: Redacted.value(options.secretAccessKey),
            fetch: (input, init) =>
              send(input, {
                ...init,
                signal,
                headers: { ...Object.fromEntries(new Headers(init?.headers)), ...headers }
              })
          })
        ),
      catch: toError
    }).pipe(Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(tooLate()) }))

  const orMissing = <A>(effect: Effect.Effect<A, BucketError | NoSuchObject>) =>
    Effect.catchTag(
      effect,
      "NoSuchObject",
      () => new BucketError({ message: "The bucket does not answer", status: 404 })
    )

  const put = (key: string, bytes: Uint8Array, headers?: Readonly<Record<string, string>>) =>
    orMissing(request((client) => client.putObject(key, bytes, "application/octet-stream"), headers))

  const read = (
    key: string,
    range?: { readonly offset: number; readonly length: number }
  ): Stream.Stream<Uint8Array, BucketError | NoSuchObject> =>
    Stream.unwrap(
      Effect.map(
        request((client) =>
          range === undefined
            ? client.getObjectRaw(key)
            : client.getObjectRaw(key, false, range.offset, range.offset + range.length)
        ),
        ({ body }) =>
          body === null
            ? Stream.empty
            : Stream.fromReadableStream<Uint8Array, BucketError | NoSuchObject>({
                evaluate: () => body,
                onError: toError
              })
      )
    ).pipe(Stream.timeoutOrElse({ duration: timeout, orElse: () => Stream.fail(tooLate()) }))

  const sendParts = Effect.fnUntraced(function* (key: string, uploadId: string, file: FileSystem.File) {
    const parts: Array<{ readonly partNumber: number; readonly etag: string }> = []
    while (true) {
      const part = yield* file.readAlloc(partSize)
      if (Option.isNone(part)) break
      parts.push(yield* orMissing(request((client) => client.uploadPart(key, uploadId, part.value, parts.length + 1))))
    }
    const { etag } = yield* orMissing(request((client) => client.completeMultipartUpload(key, uploadId, parts)))
    // Services may answer with 200 and an error.
    if (!etag) return yield* new BucketError({ message: "The parts could not be put together", status: 200 })
  })

  /** The object appears once it is complete. A large object takes the memory of one part. */
  const putFile = Effect.fn("Bucket.putFile")(function* (key: string, path: string, size: number) {
    const files = yield* FileSystem.FileSystem
    if (size <= partSize) return yield* Effect.asVoid(put(key, yield* files.readFile(path)))
    const file = yield* files.open(path, { flag: "r" })
    yield* Effect.acquireUseRelease(
      orMissing(request((client) => client.getMultipartUploadId(key))),
      (uploadId) => sendParts(key, uploadId, file),
      (uploadId, exit) =>
        exit._tag === "Success"
          ? Effect.void
          : Effect.ignore(request((client) => client.abortMultipartUpload(key, uploadId)))
    )
  }, Effect.scoped)

  const listPage = (token?: string) =>
    // s3mini's own listing requests a path with a trailing slash, which some services omit when they sign.
    request(async (client) =>
      (
        await client.getObjectRaw("", true, 0, undefined, {
          "list-type": "2",
          "max-keys": String(pageSize),
          ...(token !== undefined && { "continuation-token": token })
        })
      ).text()
    ).pipe(orMissing, Effect.map(readPage))

  return {
    put,
    putFile,
    read,
    has: (key: string) =>
      orMissing(request((client) => client.objectExists(key))).pipe(Effect.map((has) => has === true)),
    remove: (key: string) => Effect.asVoid(orMissing(request((client) => client.deleteObject(key)))),
    listPage,
    list: Stream.paginate<string | undefined, ListedObject, BucketError>(undefined, (token) =>
      Effect.map(listPage(token), ({ nextToken, objects }) => [objects, nextToken] as const)
    )
  }
})
