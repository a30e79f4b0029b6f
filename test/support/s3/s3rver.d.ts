declare module "@20minutes/s3rver" {
  /** A server with the API of S3, which checks signatures and keeps objects in a directory. Its one key is `S3RVER`, as is its secret. */
  export default class S3rver {
    constructor(options: {
      readonly address: string
      readonly port: number
      readonly silent: boolean
      readonly directory: string
      readonly configureBuckets: ReadonlyArray<{ readonly name: string }>
    })
    run(): Promise<{ readonly port: number }>
    close(): Promise<void>
  }
}
