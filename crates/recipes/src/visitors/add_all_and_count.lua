-- KEYS: the counter, and shards. ARGV: the time until which they are kept; then for each shard the number of its ids, and
-- the ids.
-- Replies with the number of visits that are the first of their visitors, and with the error of the first shard that did
-- not accept its ids, or an empty string. If the counter cannot be incremented by them all, nothing is
-- changed.
local counter, kept_until = KEYS[1], ARGV[1]
if is_over(kept_until) then return NOT_KEPT end
local why_not = refusal(counter, #ARGV - #KEYS)
if why_not then return why_not end
local new, refused, at = 0, '', 2
for i = 2, #KEYS do
  local shard, last = KEYS[i], at + ARGV[at]
  local added = redis.pcall('SADD', shard, unpack(ARGV, at + 1, last))
  at = last + 1
  if type(added) == 'table' then
    if refused == '' then refused = added.err end
  else
    new = new + added
    if kept_until ~= '' and added > 0 and redis.call('SCARD', shard) == added then
      redis.call('PEXPIREAT', shard, kept_until)
    end
  end
end
if new > 0 and redis.call('INCRBY', counter, new) == new and kept_until ~= '' then
  redis.call('PEXPIREAT', counter, kept_until)
end
return {new, refused}
