-- KEYS: the counter, and the shard of each id. ARGV: until when they are kept, and the ids.
-- Replies with how many visits are the first of their visitors, and with the error of the first shard that refused one, or
-- nothing. If the counter could not take them all, nothing is done.
local counter, kept_until = KEYS[1], ARGV[1]
if is_over(kept_until) then return NOT_KEPT end
local count, uncount = count_on(counter, #ARGV - 1)
if type(count) == 'table' then return count end
local new, refused = 0, ''
for i = 2, #KEYS do
  local shard = KEYS[i]
  local added = redis.pcall('SADD', shard, ARGV[i])
  if type(added) == 'table' then
    if refused == '' then refused = added.err end
  else
    new = new + added
    if added == 1 and kept_until ~= '' and redis.call('SCARD', shard) == 1 then
      redis.call('PEXPIREAT', shard, kept_until)
    end
  end
end
uncount(#ARGV - 1 - new)
if kept_until ~= '' and new > 0 and count == #ARGV - 1 then
  redis.call('PEXPIREAT', counter, kept_until)
end
return {new, refused}
