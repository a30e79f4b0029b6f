import type { LiveFacts } from "../Platform.ts"
import * as limits from "./limits.ts"

export const bluesky = {
  name: "Bluesky",
  aliases: ["bsky"],
  mark: "M4.1 3.1C5.7 4.3 7.4 6.7 8 8c.6-1.3 2.3-3.7 3.9-4.9 1.1-.8 3-1.5 3 .6 0 .4-.2 3.5-.4 4-.5 1.7-2.2 2.1-3.7 1.9 2.7.4 3.4 2 1.9 3.5-2.8 2.9-4-.7-4.4-1.6L8 10.6l-.3.9c-.4.9-1.6 4.5-4.4 1.6-1.5-1.5-.8-3.1 1.9-3.5-1.5.2-3.2-.2-3.7-1.9-.2-.5-.4-3.6-.4-4 0-2.1 1.9-1.4 3-.6Z",
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
