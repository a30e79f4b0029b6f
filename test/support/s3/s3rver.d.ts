declare module "@20minutes/s3rver" {
  /**
   * A server with the API of S3. Checks signatures and keeps objects in a directory. The only key and its secret are
   * `S3RVER`.
   */
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
