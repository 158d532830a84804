-- KEYS: the set of open buckets.
-- Replies with the time, in milliseconds since the epoch, and with the names of the open buckets, sorted.
local names = redis.pcall('SMEMBERS', KEYS[1])
if names.err then return names end
table.sort(names)
local time = redis.call('TIME')
return {time[1] * 1000 + math.floor(time[2] / 1000), names}
