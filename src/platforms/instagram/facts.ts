import type { Facts } from "../Platform.ts"

export const instagram = {
  name: "Instagram",
  aliases: ["ig", "insta"],
  mark: "M5 1.800h6A3.200 3.200 0 0 1 14.200 5v6a3.200 3.200 0 0 1-3.200 3.200H5A3.200 3.200 0 0 1 1.800 11V5A3.200 3.200 0 0 1 5 1.800Zm0 1.400A1.800 1.800 0 0 0 3.200 5v6c0 1 .8 1.800 1.800 1.800h6c1 0 1.800-.8 1.800-1.800V5c0-1-.8-1.800-1.800-1.800H5Zm3 1.700a3.100 3.100 0 1 1 0 6.200 3.100 3.100 0 0 1 0-6.200Zm0 1.400a1.700 1.700 0 1 0 0 3.400 1.700 1.700 0 0 0 0-3.400Z",
  settings: {
    post_type: {
      kind: "choice",
      description: "The kind of post.",
      label: "Kind of post",
      choices: { post: "Post", story: "Story", reel: "Reel" }
    },
    collaborators: { kind: "texts", description: "Usernames to invite as collaborators." }
  } as const
} satisfies Facts
