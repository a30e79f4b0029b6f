import { Config, Effect, Option, Record, Redacted, Schema, SchemaTransformation } from "effect"
import { applicationVariables, enablePlatforms, type Registry } from "./domain/enablePlatforms.ts"
import type { MailSettings } from "./domain/mail/mailSettings.ts"
import { parseMailAddress, parseSmtpUrl } from "./domain/mail/parseMailSettings.ts"
import { formatIssues, schemaIssues } from "./domain/issues.ts"
import { HttpUrl, isPublicUrl, withoutSlash } from "./domain/httpUrl.ts"
import { isLoopback } from "./domain/plain/loopback.ts"
import { inSentence } from "./domain/plain/platforms.ts"
import { liveFacts } from "./platforms/facts.ts"
import { live } from "./platforms/live.ts"

/** `message` is one line that names the variable. */
export class ConfigurationError extends Schema.TaggedError<ConfigurationError>()("ConfigurationError", {
  message: Schema.String
}) {}

const expecting = (expected: string, pattern: RegExp) => Schema.String.check(Schema.isPattern(pattern, { expected }))

const postgresUrlExpected = "a URL such as postgres://user:password@host:5432/database"
const PostgresUrl = expecting(postgresUrlExpected, /^postgres(ql)?:\/\/\S+$/).check(
  Schema.makeFilter((url: string) => URL.canParse(url), { expected: `${postgresUrlExpected}, with one host` })
)
const EncryptionKeys = expecting(
  "base64 of 32 bytes, or several of these separated by commas",
  /^[A-Za-z0-9+/]{43}=(,[A-Za-z0-9+/]{43}=)*$/
)

/** The error messages do not repeat the value, because it may contain a password. */
const SmtpUrl = Schema.String.check(
  Schema.makeFilter((url: string) => parseSmtpUrl(url) !== undefined, {
    expected:
      "smtps://user:password@host:465, or smtp://user:password@host:587 for STARTTLS; special characters in the password are written as in URLs, such as %40 for @"
  })
)
const MailSender = Schema.String.check(
  Schema.makeFilter((text: string) => parseMailAddress(text) !== undefined, {
    expected: "an email address, or a name and an address, such as Social Publisher <posts@example.com>"
  })
)

const publicUrlExpected = "an https address that platforms can reach, such as https://posts.example.com"
const PublicUrl = HttpUrl.check(Schema.makeFilter((url: string) => isPublicUrl(url), { expected: publicUrlExpected }))

const wholeNumber = (minimum: number, maximum: number, expected: string) =>
  expecting(expected, /^\d{1,9}$/).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum, maximum }, { expected })),
      SchemaTransformation.numberFromString
    )
  )

const Port = wholeNumber(0, 65_535, "a port from 0 to 65535")
const Connections = wholeNumber(1, 1_000_000, "a whole number from 1 to 1000000")
const units = { MB: 1e6, GB: 1e9, TB: 1e12 } as const

/** Decodes to bytes. */
const Amount = expecting("a whole number of MB, GB or TB, such as 10GB", /^[1-9]\d{0,5} ?(MB|GB|TB)$/).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform({
      decode: (text: string) =>
        Number.parseInt(text, 10) * (text.endsWith("MB") ? units.MB : text.endsWith("GB") ? units.GB : units.TB),
      encode: (bytes: number) => `${bytes / units.MB}MB`
    })
  )
)
const RequestsPerMinute = wholeNumber(1, 1_000_000, "a whole number from 1 to 1000000")

const BucketName = expecting("the name of a bucket", /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/)

const listed = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((value) => value.trim())
    .filter((value) => value !== "")

/** The origin in lower case and without the default port, as browsers write it. Undefined if invalid. */
const originOf = (value: string): string | undefined =>
  /^https?:\/\/[^\s/?#@\\*]+\/?$/i.test(value) && URL.canParse(value) ? new URL(value).origin : undefined

const Origins = Schema.String.check(
  Schema.makeFilter((text) => {
    const wrong = listed(text).filter((value) => originOf(value) === undefined)
    return wrong.length === 0 || `Expected origins such as https://client.example; these are not: ${wrong.join(", ")}`
  })
).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String),
    SchemaTransformation.transform({
      decode: (text: string): ReadonlyArray<string> =>
        Array.from(new Set(listed(text).flatMap((value) => originOf(value) ?? []))),
      encode: (origins: ReadonlyArray<string>) => origins.join(",")
    })
  )
)

/**
 * Every environment variable; `live` has those that the platforms' folders declare. .deploy/README.md documents each.
 */
const variables = Config.all({
  host: Config.NonEmptyString("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(Port, "PORT").pipe(Config.withDefault(3000)),
  isPortSet: Config.map(Config.option(Config.String("PORT")), Option.isSome),
  baseUrl: Config.option(Config.schema(HttpUrl, "BASE_URL")),
  publicUrl: Config.option(Config.schema(PublicUrl, "PUBLIC_URL")),
  databaseUrl: Config.option(Config.schema(Schema.RedactedFromValue(PostgresUrl), "DATABASE_URL")),
  databaseDirectUrl: Config.option(Config.schema(Schema.RedactedFromValue(PostgresUrl), "DATABASE_DIRECT_URL")),
  dataDir: Config.NonEmptyString("DATA_DIR").pipe(Config.withDefault(".data")),
  encryptionKeys: Config.option(Config.schema(Schema.RedactedFromValue(EncryptionKeys), "ENCRYPTION_KEY")),
  platforms: Config.Literals(["sandbox", "live"], "PLATFORMS").pipe(Config.withDefault("sandbox" as const)),
  enablePlatforms: Config.String("ENABLE_PLATFORMS").pipe(
    Config.withDefault(""),
    Config.map((names) => Array.from(new Set(listed(names))))
  ),
  live: Config.all(Record.map(live, ({ configured }) => configured)),
  mcpAllowedOrigins: Config.schema(Origins, "MCP_ALLOWED_ORIGINS").pipe(Config.withDefault<ReadonlyArray<string>>([])),
  rateLimitPerMinute: Config.schema(RequestsPerMinute, "RATE_LIMIT_PER_MINUTE").pipe(Config.withDefault(300)),
  mediaQuota: Config.schema(Amount, "MEDIA_QUOTA").pipe(Config.withDefault(10e9)),
  mediaS3: Config.all({
    bucket: Config.option(Config.schema(BucketName, "MEDIA_S3_BUCKET")),
    endpoint: Config.option(Config.schema(HttpUrl, "MEDIA_S3_ENDPOINT").pipe(Config.map(withoutSlash))),
    region: Config.NonEmptyString("MEDIA_S3_REGION").pipe(Config.withDefault("us-east-1")),
    accessKeyId: Config.option(Config.NonEmptyString("MEDIA_S3_ACCESS_KEY_ID")),
    secretAccessKey: Config.option(
      Config.schema(Schema.RedactedFromValue(Schema.NonEmptyString), "MEDIA_S3_SECRET_ACCESS_KEY")
    ),
    pathStyle: Config.Literals(["on", "off"], "MEDIA_S3_PATH_STYLE").pipe(Config.withDefault("on" as const))
  }),
  smtpUrl: Config.option(Config.schema(Schema.RedactedFromValue(SmtpUrl), "SMTP_URL")),
  mailFrom: Config.option(Config.schema(MailSender, "MAIL_FROM")),
  tlsCertFile: Config.option(Config.NonEmptyString("TLS_CERT_FILE")),
  tlsKeyFile: Config.option(Config.NonEmptyString("TLS_KEY_FILE")),
  maxConnections: Config.schema(Connections, "MAX_CONNECTIONS").pipe(Config.withDefault(8192)),
  maxConnectionsPerAddress: Config.option(Config.schema(Connections, "MAX_CONNECTIONS_PER_ADDRESS")),
  trustProxy: Config.Literals(["on", "off"], "TRUST_PROXY").pipe(Config.withDefault("off" as const)),
  logLevel: Config.Literals(["trace", "debug", "info", "warn", "error"], "LOG_LEVEL").pipe(
    Config.withDefault("info" as const)
  ),
  logFormat: Config.option(Config.Literals(["pretty", "json"], "LOG_FORMAT")),
  demoExamples: Config.Literals(["on", "off"], "DEMO_EXAMPLES").pipe(Config.withDefault("on" as const)),
  otlpEndpoint: Config.option(Config.schema(HttpUrl, "OTEL_EXPORTER_OTLP_ENDPOINT").pipe(Config.map(withoutSlash)))
})

type Variables = Effect.Success<typeof variables>

const isWildcard = (host: string) => host === "0.0.0.0" || /^[0:]+$/.test(host)

const describe = (error: Config.ConfigError): string =>
  Schema.isSchemaError(error.cause) ? formatIssues(schemaIssues(error.cause), "The environment") : error.message

const tlsFiles = ({ tlsCertFile, tlsKeyFile }: Variables) => {
  if (Option.isSome(tlsCertFile) === Option.isSome(tlsKeyFile)) {
    return Effect.succeed(Option.all({ certFile: tlsCertFile, keyFile: tlsKeyFile }))
  }
  const [given, missing] = Option.isSome(tlsCertFile)
    ? ["TLS_CERT_FILE", "TLS_KEY_FILE"]
    : ["TLS_KEY_FILE", "TLS_CERT_FILE"]
  return new ConfigurationError({ message: `${missing}: required if ${given} is set` })
}

const mailSettings = ({ mailFrom, smtpUrl }: Variables) => {
  if (Option.isSome(smtpUrl) === Option.isSome(mailFrom)) {
    return Effect.succeed(
      Option.flatMap(Option.all({ smtpUrl, mailFrom }), (given): Option.Option<MailSettings> => {
        const server = parseSmtpUrl(Redacted.value(given.smtpUrl))
        const from = parseMailAddress(given.mailFrom)
        return server === undefined || from === undefined ? Option.none() : Option.some({ server, from })
      })
    )
  }
  const [given, missing] = Option.isSome(smtpUrl) ? ["SMTP_URL", "MAIL_FROM"] : ["MAIL_FROM", "SMTP_URL"]
  return new ConfigurationError({ message: `${missing}: required if ${given} is set` })
}

const mediaBucket = ({ mediaS3 }: Variables) => {
  const { accessKeyId, bucket, endpoint, pathStyle, region, secretAccessKey } = mediaS3
  const names: Readonly<Record<string, Option.Option<unknown>>> = {
    MEDIA_S3_BUCKET: bucket,
    MEDIA_S3_ENDPOINT: endpoint,
    MEDIA_S3_ACCESS_KEY_ID: accessKeyId,
    MEDIA_S3_SECRET_ACCESS_KEY: secretAccessKey
  }
  const given = Object.entries(names).find(([, value]) => Option.isSome(value))
  const missing = Object.entries(names).find(([, value]) => Option.isNone(value))
  if (given !== undefined && missing !== undefined) {
    return new ConfigurationError({ message: `${missing[0]}: required if ${given[0]} is set` })
  }
  return Effect.succeed(
    Option.map(Option.all({ bucket, endpoint, accessKeyId, secretAccessKey }), (required) => ({
      ...required,
      region,
      pathStyle: pathStyle === "on"
    }))
  )
}

const enabledPlatforms = <Name extends string>(registry: Registry<Name>, named: ReadonlyArray<string>) =>
  Effect.mapError(
    Effect.fromResult(enablePlatforms(registry, named)),
    (wrong) => new ConfigurationError({ message: `ENABLE_PLATFORMS: ${wrong}` })
  )

/** The configured values of the operator's own applications, by environment variable. A sandbox needs none. */
const ownApplications = Effect.fnUntraced(function* <Name extends string>(
  registry: Registry<Name>,
  enabled: ReadonlyArray<Name>
) {
  const possible = enabled.flatMap((platform) => {
    const { otherApplication = [], ownApplication = [] } = registry[platform]
    return [...ownApplication, ...otherApplication]
  })
  const given = yield* Effect.forEach(new Set(possible), (variable) =>
    Config.option(Config.schema(Schema.RedactedFromValue(Schema.NonEmptyString), variable)).pipe(
      Effect.mapError((error) => new ConfigurationError({ message: describe(error) })),
      Effect.map((value) => Option.toArray(Option.map(value, (known) => [variable, known] as const)))
    )
  )
  const values = new Map(given.flat())
  const isGiven = (variable: string) => values.has(variable)
  const missing = applicationVariables(registry, enabled, isGiven).filter(({ variable }) => !isGiven(variable))
  if (missing.length > 0) {
    const needed = inSentence(Array.from(new Set(missing.map(({ variable }) => variable))))
    const names = Array.from(new Set(missing.map(({ platform }) => platform)))
    const others = names.flatMap((name) => {
      const { otherApplication = [], ownApplication = [] } = registry[name]
      const isFree = otherApplication.length > 0 && !ownApplication.some(isGiven)
      return isFree ? [`. In place of its own, ${name} takes ${inSentence(otherApplication)}`] : []
    })
    return yield* new ConfigurationError({
      message: `${needed}: required if ENABLE_PLATFORMS names ${inSentence(names)} and PLATFORMS is live${others.join("")}`
    })
  }
  return Object.fromEntries(values)
})

export const makeConfiguration = Effect.fnUntraced(function* <Name extends string>(registry: Registry<Name>) {
  const values = yield* Effect.mapError(variables, (error) => new ConfigurationError({ message: describe(error) }))
  const tls = yield* tlsFiles(values)
  const bucket = yield* mediaBucket(values)
  const mail = yield* mailSettings(values)
  const enabled = yield* enabledPlatforms(registry, values.enablePlatforms)
  const applications = values.platforms === "live" ? yield* ownApplications(registry, enabled) : {}
  if (!isLoopback(values.host) && Option.isNone(tls) && values.trustProxy === "off") {
    return yield* new ConfigurationError({
      message: `HOST: plain HTTP is served only on a loopback address, and ${values.host} is not one; set TLS_CERT_FILE and TLS_KEY_FILE, or TRUST_PROXY=on behind a proxy that terminates TLS`
    })
  }
  if (Option.isNone(values.baseUrl) && (values.trustProxy === "on" || isWildcard(values.host))) {
    return yield* new ConfigurationError({
      message:
        "BASE_URL: required behind a proxy, or if HOST is every address; it is the address that clients use, such as https://posts.example.com"
    })
  }
  if (Option.isSome(values.databaseUrl) && Option.isNone(values.encryptionKeys)) {
    return yield* new ConfigurationError({
      message: "ENCRYPTION_KEY: required if DATABASE_URL is set; create one with: openssl rand -base64 32"
    })
  }
  if (Option.isSome(values.databaseDirectUrl) && Option.isNone(values.databaseUrl)) {
    return yield* new ConfigurationError({
      message: "DATABASE_URL: required if DATABASE_DIRECT_URL is set; it is the pooler's URL"
    })
  }
  const ownUrl = `http${Option.isSome(tls) ? "s" : ""}://${values.host.includes(":") ? `[${values.host}]` : values.host}:${values.port}`
  const baseUrl = withoutSlash(Option.getOrElse(values.baseUrl, () => ownUrl))
  const publicUrl = Option.map(values.publicUrl, (url) => withoutSlash(new URL(url).href))
  /** True for a sandbox that only this machine can use, without a proxy. */
  const isOwnSandbox =
    values.platforms === "sandbox" &&
    isLoopback(values.host) &&
    values.trustProxy === "off" &&
    isLoopback(new URL(baseUrl).hostname)
  return {
    ...values,
    tls,
    mediaBucket: bucket,
    /** None if the service sends no mail. */
    mail,
    enabled,
    applications,
    /** False if neither the base URL nor the port is configured. */
    isAddressSet: Option.isSome(values.baseUrl) || values.isPortSet,
    baseUrl,
    /** The address under which platforms fetch files, in ASCII. None if they can't reach the service. */
    publicUrl: Option.orElse(publicUrl, () =>
      isOwnSandbox || isPublicUrl(baseUrl) ? Option.some(withoutSlash(new URL(baseUrl).href)) : Option.none()
    ),
    offersDemo: isOwnSandbox,
    reachesLoopback: isOwnSandbox,
    // Behind a proxy all connections come from the proxy's address, so that address may have all of them.
    maxConnectionsPerAddress: Option.getOrElse(values.maxConnectionsPerAddress, () =>
      values.trustProxy === "on" ? values.maxConnections : 256
    )
  }
})

export const configuration = makeConfiguration(liveFacts)

export type Configuration = Effect.Success<typeof configuration>

/** The error messages do not repeat the address, because it may contain a password. */
const ServiceUrl = Schema.String.check(
  Schema.makeFilter((text) => {
    const url = /^https?:\/\/\S+$/i.test(text) && URL.canParse(text) ? new URL(text) : undefined
    if (url === undefined) return "Expected the service's address, such as https://posts.example.com"
    if (url.protocol === "http:" && !isLoopback(new URL(text).hostname)) {
      return "It has to begin with https://, because the API key would be readable on the way; http:// is only for this machine"
    }
    if (url.username !== "" || url.password !== "") return "It can't have a user or a password"
    return url.search === "" && url.hash === "" ? undefined : "It can't have a query or a fragment"
  })
)

/** People may paste the address that ends in `/mcp`, because other MCP clients are configured with it. */
const withoutTools = (url: string) => withoutSlash(url).replace(/\/mcp$/, "")

const AgentKey = Schema.String.check(
  Schema.makeFilter(
    (text) => /^[\x21-\x7e]+$/.test(text) || "It has to be the API key alone, without spaces or line breaks"
  )
)

/** The configuration of the command `social-publisher mcp`. */
export const agentConnection = Config.all({
  url: Config.schema(ServiceUrl, "SOCIAL_PUBLISHER_URL").pipe(Config.map(withoutTools)),
  key: Config.schema(Schema.RedactedFromValue(AgentKey), "SOCIAL_PUBLISHER_KEY")
}).pipe(Effect.mapError((error) => new ConfigurationError({ message: describe(error) })))
