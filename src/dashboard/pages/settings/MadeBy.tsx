import type { KeyJson } from "../../api/keys.ts"

/** Who made something, after what else is said of it; nothing where that is not known. */
export const MadeBy = ({ author, verb = "Made" }: { readonly author: KeyJson["created_by"]; readonly verb?: string }) =>
  author?.name === undefined ? null : (
    <>
      {" "}
      · {verb} by {author.name}
    </>
  )
