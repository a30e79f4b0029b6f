/** The part that tests use, so that types need no installed PDS. */
declare module "@atproto/pds" {
  import type { RequestListener } from "node:http"

  /** The settings of a PDS, as its environment variables. */
  export interface ServerEnvironment {
    readonly port: number
    readonly hostname: string
    readonly devMode: boolean
    readonly disableSsrfProtection: boolean
    readonly dataDirectory: string
    readonly blobstoreDiskLocation: string
    readonly blobstoreDiskTmpLocation: string
    readonly didPlcUrl: string
    readonly plcRotationKeyK256PrivateKeyHex: string
    readonly jwtSecret: string
    readonly adminPassword: string
    readonly inviteRequired: boolean
    readonly rateLimitsEnabled: boolean
    readonly enableDidDocWithSession: boolean
    readonly serviceHandleDomains: ReadonlyArray<string>
    readonly bskyAppViewUrl: string
    readonly bskyAppViewDid: string
  }

  interface ServerConfig {
    readonly service: { readonly publicUrl: string }
  }

  interface ServerSecrets {
    readonly jwtSecret: string
  }

  export const envToCfg: (env: ServerEnvironment) => ServerConfig
  export const envToSecrets: (env: ServerEnvironment) => ServerSecrets

  export interface PDS {
    readonly app: RequestListener
    readonly ctx: {
      readonly sequencer: { readonly start: () => Promise<void> }
      readonly destroy: () => Promise<void>
    }
  }

  export const PDS: {
    readonly create: (config: ServerConfig, secrets: ServerSecrets) => Promise<PDS>
  }
}
