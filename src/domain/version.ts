/** The version of this service: package.json's. */
export const version = "0.2.0"
