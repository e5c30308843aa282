// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/errors.h"
#include "workloads/action.h"

namespace switchyard::workloads {

Program::Program(const Steps& steps, const ActionRegistry& registry) {
  for (const auto& [name, params] : steps) actions_.push_back(registry.find(name)->build(*params));
}

void Program::run(Process& process, kernel::Task& task) const {
  for (const auto& action : actions_) action->run(process, task);
}

void Program::collect(std::vector<const Action*>& actions) const {
  for (const auto& action : actions_) {
    actions.push_back(action.get());
    action->collect(actions);
  }
}

std::shared_ptr<Process> Process::fork(const kernel::Task& task) const {
  auto child = std::make_shared<Process>(kernel_, cpus_, programs_, data_, observer_);
  for (const auto& [key, region] : regions_)
    if (key.second == nullptr || key.second == &task) child->regions_[{key.first, nullptr}] = region;
  child->files_ = files_;
  child->channels_ = channels_;
  return child;
}

const Program& Process::program(const std::string& name) const { return programs_.at(name); }

void Process::remove_region(const std::string& name, const kernel::Task& task) {
  if (regions_.erase({name, &task}) == 0) regions_.erase({name, nullptr});
}

const Process::Region& Process::region(const std::string& name, const kernel::Task& task) const {
  auto found = regions_.find({name, &task});
  if (found == regions_.end()) found = regions_.find({name, nullptr});
  if (found == regions_.end()) throw base::ConfigError("workload", "region '" + name + "' is used before it is mapped");
  return found->second;
}

const DataParams& Process::data(const std::string& name) const {
  const auto found = std::find_if(data_.begin(), data_.end(), [&](const auto& data) { return data.first == name; });
  SWITCHYARD_ASSERT(found != data_.end(), "the workload's check has looked for the data of every reachable program");
  return found->second;
}

std::size_t Process::channels(const std::string& name) const {
  const auto found = channels_.find(name);
  if (found != channels_.end() && !found->second.empty()) return found->second.size();
  throw base::ConfigError("workload", "no channel '" + name + "' is open in a process that uses it");
}

unsigned Process::channel(const std::string& name, unsigned end, std::size_t index) const {
  channels(name);
  const unsigned descriptor = channels_.at(name).at(index).at(end);
  if (descriptor != kClosed) return descriptor;
  throw base::ConfigError(
      "workload", "end " + std::to_string(end) + " of channel '" + name + "' is used by a process that has closed it");
}

void Process::close_channel(const std::string& name, unsigned end, std::size_t index) {
  channels_.at(name).at(index).at(end) = kClosed;
}

void Process::forget_closed(const std::string& name) {
  std::erase(channels_.at(name), std::array<unsigned, 2>{kClosed, kClosed});
}

const std::vector<kernel::Task*>& Process::threads(const std::string& name) const {
  const auto found = threads_.find(name);
  if (found == threads_.end()) throw base::ConfigError("workload", "no thread '" + name + "' has been spawned");
  return found->second;
}

}  // namespace switchyard::workloads
