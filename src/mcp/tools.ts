import { addMedia } from "./tools/addMedia.ts"
import { checkPost } from "./tools/checkPost.ts"
import { checkUpcoming } from "./tools/checkUpcoming.ts"
import { createPost } from "./tools/createPost.ts"
import { deletePost } from "./tools/deletePost.ts"
import { getPost } from "./tools/getPost.ts"
import { getQueue } from "./tools/getQueue.ts"
import { getWorkspace } from "./tools/getWorkspace.ts"
import { listNotifications } from "./tools/listNotifications.ts"
import { listPosts } from "./tools/listPosts.ts"
import { publishPost } from "./tools/publishPost.ts"
import { splitText } from "./tools/splitText.ts"
import { updatePost } from "./tools/updatePost.ts"

/** Clients list tools in this order. Names are permanent, and arguments are only added. */
export const tools = [
  getWorkspace,
  listPosts,
  getPost,
  checkPost,
  splitText,
  createPost,
  updatePost,
  deletePost,
  publishPost,
  addMedia,
  listNotifications,
  getQueue,
  checkUpcoming
]
