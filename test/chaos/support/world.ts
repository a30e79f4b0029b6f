import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Redacted } from "effect"
import { Base64 } from "effect/encoding"
import path from "node:path"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { Scope } from "../../../src/domain/people/apiKey.ts"
import { CredentialCipher } from "../../../src/repo/integrations/CredentialCipher.ts"
import { databaseLayer } from "../../../src/repo/postgres/database.ts"
import { migrate } from "../../../src/repo/postgres/migrations.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { sandboxApplication as youtubeApplication } from "../../../src/platforms/youtube/standIn/tokenEndpoints.ts"
import { sandboxApplication as tiktokApplication } from "../../../src/platforms/tiktok/standIn/tokenEndpoints.ts"
import { sandboxApplications } from "../../../src/platforms/linkedin/standIn/tokenEndpoint.ts"
import { sandboxApplication as metaApplication } from "../../../src/platforms/meta/standIn/tokenEndpoints.ts"
import { sandboxApplication } from "../../../src/platforms/twitter/standIn/tokenEndpoint.ts"
import { makeReplica } from "./replica.ts"
import { standInProcess } from "./standInProcess.ts"

export interface WorldOptions {
  readonly databaseUrl: Redacted.Redacted
  readonly directory: string
  readonly seed: string
  readonly workspaces: number
  readonly faultRate: number
  readonly unseenRate?: number
  readonly crashing?: string
  readonly renewalDelay?: number
  readonly uploadDelay?: number
  readonly accessEnded?: boolean
  readonly pace: number
  readonly replicas: number
  /** The platforms to publish on; `usualPlatforms` by default. */
  readonly platforms?: ReadonlyArray<LivePlatform>
  /** Environment variables of a replica, in addition to its configuration. */
  readonly env?: (name: string) => Readonly<Record<string, string>>
}

/** The key with which the replicas encrypt credentials. */
export const encryptionKey = new Uint8Array(32).fill(7)

/** The platforms that publish without an own application. Versions before know no others. */
const usualPlatforms: ReadonlyArray<LivePlatform> = ["twitter", "bluesky"]

/** The settings of the platforms that an operator enables. */
const settingsAt = (url: string): Partial<Record<LivePlatform, Readonly<Record<string, string>>>> => ({
  linkedin: {
    LINKEDIN_API_URL: url,
    LINKEDIN_OAUTH_URL: url,
    LINKEDIN_CLIENT_ID: sandboxApplications.profile.clientId,
    LINKEDIN_CLIENT_SECRET: sandboxApplications.profile.clientSecret
  },
  threads: {
    THREADS_API_URL: `${url}/threads`,
    THREADS_CLIENT_ID: metaApplication.clientId,
    THREADS_CLIENT_SECRET: metaApplication.clientSecret
  },
  instagram: {
    INSTAGRAM_API_URL: `${url}/instagram`,
    INSTAGRAM_OAUTH_URL: `${url}/instagram`,
    INSTAGRAM_CLIENT_ID: metaApplication.clientId,
    INSTAGRAM_CLIENT_SECRET: metaApplication.clientSecret
  },
  facebook: {
    FACEBOOK_API_URL: `${url}/facebook`,
    FACEBOOK_UPLOAD_URL: url,
    FACEBOOK_CLIENT_ID: metaApplication.clientId,
    FACEBOOK_CLIENT_SECRET: metaApplication.clientSecret
  },
  youtube: {
    YOUTUBE_API_URL: `${url}/google`,
    YOUTUBE_OAUTH_URL: `${url}/google/oauth2`,
    YOUTUBE_CLIENT_ID: youtubeApplication.clientId,
    YOUTUBE_CLIENT_SECRET: youtubeApplication.clientSecret
  },
  tiktok: {
    TIKTOK_API_URL: `${url}/tiktok`,
    TIKTOK_CLIENT_KEY: tiktokApplication.clientKey,
    TIKTOK_CLIENT_SECRET: tiktokApplication.clientSecret
  }
})

const enabledAt = (url: string, platforms: ReadonlyArray<LivePlatform>) => {
  const settings = settingsAt(url)
  const enabled = platforms.filter((platform) => settings[platform] !== undefined)
  return {
    ENABLE_PLATFORMS: enabled.join(","),
    ...Object.assign({}, ...enabled.map((platform) => settings[platform]))
  }
}

/** The Repo of the replicas. */
export const repoLayer = (url: Redacted.Redacted) =>
  Repo.layer.pipe(
    Layer.provide(CredentialCipher.layer([Redacted.make(encryptionKey)])),
    Layer.provide(NodeCrypto.layer),
    Layer.provideMerge(databaseLayer(url))
  )

/** Starts the stand-in, and creates workspaces that have an API key and an account on each platform. */
export const makeTeams = Effect.fn("makeTeams")(function* (options: Omit<WorldOptions, "replicas">) {
  const standIn = yield* standInProcess(options)
  const teams = yield* Effect.gen(function* () {
    yield* migrate
    const { apiKeys, integrations, workspaces } = yield* Repo
    return yield* Effect.forEach(standIn.accounts, (accounts, number) =>
      Effect.gen(function* () {
        const { id } = yield* workspaces.create(`Workspace ${number + 1}`)
        for (const account of accounts) {
          yield* integrations.connect(id, { ...account, credentials: Redacted.make(account.credentials) })
        }
        const newKey = {
          workspaceId: id,
          name: "Campaign",
          scopes: Scope.literals,
          requiresApproval: false,
          expiresIn: null
        }
        return { id, key: Redacted.value((yield* apiKeys.create(newKey)).key) }
      })
    )
  }).pipe(Effect.provide(repoLayer(options.databaseUrl)))
  const keys = teams.map(({ key }) => key)
  const workspaceIds = teams.map(({ id }) => id)
  /** Creates a replica of a program, by default of this checkout. Does not start it. */
  const addReplica = (name: string, main?: string) =>
    makeReplica({
      name,
      ...(main === undefined ? {} : { main }),
      pace: options.pace,
      directory: options.directory,
      env: {
        DATABASE_URL: Redacted.value(options.databaseUrl),
        ENCRYPTION_KEY: Base64.encode(encryptionKey),
        PLATFORMS: "live",
        RATE_LIMIT_PER_MINUTE: "1000000",
        // The replicas share the media files.
        DATA_DIR: path.join(options.directory, "data"),
        TWITTER_API_URL: standIn.url,
        TWITTER_CLIENT_ID: sandboxApplication.clientId,
        TWITTER_CLIENT_SECRET: sandboxApplication.clientSecret,
        BLUESKY_SERVICE_URL: standIn.url,
        BLUESKY_VIDEO_URL: standIn.url,
        BLUESKY_APPVIEW_URL: standIn.url,
        ...enabledAt(standIn.url, options.platforms ?? usualPlatforms),
        ...options.env?.(name)
      }
    })
  return { standIn, keys, workspaceIds, addReplica }
})

/** Starts replicas on one database and one stand-in. Each workspace has an API key and an account on each platform. */
export const makeWorld = Effect.fn("makeWorld")(function* (options: WorldOptions) {
  const { addReplica, keys, standIn } = yield* makeTeams(options)
  const names = Array.from({ length: options.replicas }, (_, number) => `replica ${number + 1}`)
  const replicas = yield* Effect.forEach(names, (name) => addReplica(name))
  yield* Effect.forEach(replicas, ({ ready, start }) => Effect.andThen(start, ready), { concurrency: "unbounded" })
  return { standIn, keys, replicas, addReplica, platforms: options.platforms ?? usualPlatforms }
})

export type World = Effect.Success<ReturnType<typeof makeWorld>>
