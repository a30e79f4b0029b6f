import type { ConsentFacts, FormFacts, LiveFacts } from "../../../src/platforms/Platform.ts"

/** The two ways to connect accounts of the pond. The pond's facts choose one. */
const ways = {
  consent: { kind: "consent", revokes: "own", application: "POND_CLIENT_ID", codeLasts: "ten minutes" },
  form: {
    kind: "form",
    revokes: "own",
    fields: { name: { label: "Name", hint: "Such as acme", flag: "Name of the frog", isUsername: true } },
    secret: { name: "croak", label: "Croak", hint: "Only its frog knows it. It is not kept." }
  }
} satisfies { readonly consent: ConsentFacts; readonly form: FormFacts }

export const pond = {
  name: "Pond",
  aliases: ["the pond"],
  mark: "M8 2c4 0 6 3 6 6s-2 6-6 6-6-3-6-6 2-6 6-6Z",
  site: "https://pond.example",
  hosts: ["pond.example"],
  postPath: /^\/drops\/(?<key>[\w-]{1,64})$/,
  exampleUrl: "https://pond.example/drops/01a1fc17-0000-7000-8000-0000000a1b2c-1",
  lastingPath: (key) => `/drops/${key}`,
  profilePath: (username) => `/frogs/${encodeURIComponent(username)}`,
  image: { longestSide: 1_000, maxBytes: 1_000_000 },
  card: null,
  textUnit: "code points",
  maxAlt: 100,
  altUnit: "code points",
  recognizedBy: "key",
  hasOneHost: true,
  link: ways.consent
} satisfies LiveFacts
