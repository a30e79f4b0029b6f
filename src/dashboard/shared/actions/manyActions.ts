import type { Action, AskedAction } from "./action.ts"
import { approve } from "./decide.ts"
import { moveMany } from "./moveMany.ts"
import { unschedule } from "./publish.ts"
import { remove } from "./remove.ts"
import { tag } from "./tag.ts"

/** The actions for many posts together. Those without a question have a form of their own. */
export const manyActions: ReadonlyArray<Action | AskedAction> = [moveMany, tag, approve, unschedule, remove]
