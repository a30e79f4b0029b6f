import "effect/schema/SchemaJITCompiler/enable"
import { Layer } from "effect"
import { runService } from "./run.ts"
import { serviceLayer } from "./wiring/service.ts"
import { startMemoryLayer } from "./wiring/startMemory.ts"

runService((config) => Layer.provide(startMemoryLayer, serviceLayer(config)))
