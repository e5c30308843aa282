// SPDX-License-Identifier: Apache-2.0
#include "memory/register.h"

#include "memory/bus.h"
#include "memory/cache.h"
#include "memory/interconnect.h"
#include "memory/memory.h"

namespace switchyard::memory {

void register_models(sim::ModelRegistry& registry) {
  registry.add<Cache>("cache", "One level of cache, private or shared, coherent with the levels above and below it");
  registry.add<Bus>("bus", "Address decoder between initiators and targets");
  registry.add<SnoopBus>("snoop-bus", "Joins caches that share no cache; every request is shown to all of them");
  registry.add<DirectoryFabric>("directory", "Joins caches that share no cache; a directory knows who has a copy");
  registry.add<Memory>("memory", "Flat memory with one latency");
}

}  // namespace switchyard::memory
