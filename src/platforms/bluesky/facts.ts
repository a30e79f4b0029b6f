import type { LiveFacts } from "../Platform.ts"

/** Times in milliseconds, sizes in bytes, sides in pixels. */
const limits = {
  /** In graphemes. */
  text: 300,
  textBytes: 3_000,
  /** In graphemes. */
  alt: 2_000,
  imageBytes: 2_000_000,
  imageSide: 4_000,
  cardPictureBytes: 1_000_000,
  videoBytes: 300_000_000,
  longestVideo: 600_000
} as const

export const bluesky = {
  name: "Bluesky",
  aliases: ["bsky"],
  mark: "M4.1 3.1C5.7 4.3 7.4 6.700 8 8c.6-1.300 2.300-3.700 3.900-4.900 1.100-.8 3-1.500 3 .6 0 .4-.2 3.500-.4 4-.5 1.700-2.200 2.100-3.700 1.900 2.700.4 3.400 2 1.900 3.500-2.800 2.900-4-.7-4.400-1.600L8 10.600l-.3.900c-.4.900-1.600 4.500-4.400 1.600-1.500-1.500-.8-3.100 1.900-3.500-1.500.2-3.200-.2-3.700-1.900-.2-.5-.4-3.600-.4-4 0-2.100 1.900-1.400 3-.6Z",
  limits,
  site: "https://bsky.app",
  hosts: ["bsky.app", "www.bsky.app", "main.bsky.dev"],
  postPath: /^\/profile\/(?<account>[^/]+)\/post\/(?<key>[\w.:~-]{1,512})\/?$/,
  exampleUrl: "https://bsky.app/profile/acme.example/post/3lhxkz7ab2c2d",
  lastingPath: (key, accountId) => `/profile/${accountId}/post/${key}`,
  profilePath: (username) => `/profile/${encodeURIComponent(username)}`,
  image: { longestSide: limits.imageSide, maxBytes: limits.imageBytes },
  card: {
    maxPictureBytes: limits.cardPictureBytes,
    pictureTypes: ["image/jpeg", "image/png", "image/webp"],
    quotedPath:
      /^\/(?:profile\/(?<account>[^/]+)\/(?<kind>post|feed|lists)|start(?:er-pack)?\/(?<creator>[^/]+))\/(?<key>[\w.:~-]{1,512})\/?$/
  },
  textUnit: "graphemes",
  maxAlt: limits.alt,
  altUnit: "graphemes",
  recognizedBy: "key",
  hasOneHost: false,
  link: {
    kind: "form",
    revokes: "own",
    fields: {
      identifier: {
        label: "Handle",
        hint: "Such as name.bsky.social",
        flag: "Handle, DID or email address of the account",
        isUsername: true
      },
      service: {
        label: "Server",
        hint: "Its address, such as https://pds.example",
        flag: "URL of the account's PDS, if it is not the default one",
        isUrl: true,
        unfold: "The account is on another server"
      }
    },
    secret: {
      name: "app_password",
      label: "App password",
      hint: "Make one on Bluesky under Settings, Privacy and security, App passwords. It is not kept."
    }
  }
} satisfies LiveFacts
