import { createPost } from "./tools/createPost.ts"
import { getWorkspace } from "./tools/getWorkspace.ts"
import { listPosts } from "./tools/listPosts.ts"

/** In the order in which clients list them. Names stay for ever, and arguments are only added. */
export const tools = [getWorkspace, listPosts, createPost]
