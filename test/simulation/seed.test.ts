import { it } from "@effect/vitest"
import { keepsEveryPromise } from "./seeds.ts"

const seed = Number(process.env["SEED"] ?? 1)

it.live(`seed ${seed}, which SEED chooses, keeps every promise`, () => keepsEveryPromise(seed))
